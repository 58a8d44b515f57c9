"""Tables in and out: dataframes, files, folders and archives; columns as codes; scratch folders and atomic writes."""
