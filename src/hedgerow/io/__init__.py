"""Tables in and out: dataframes, files, folders and archives; columns as codes; scratch folders and atomic writes.

Every room may import it. It imports only errors, arrays and the schema.
Start with :mod:`~hedgerow.io.frames` for dataframes and :mod:`~hedgerow.io.readers` for files.
"""
