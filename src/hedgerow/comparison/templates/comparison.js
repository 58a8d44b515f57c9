// A hint that a table scrolls stands only beside a table that does.
for (const box of document.querySelectorAll(".scroll.wide")) {
  const hint = box.previousElementSibling;
  const fit = () => { hint.hidden = box.scrollWidth <= box.clientWidth + 1; };
  new ResizeObserver(fit).observe(box);
  fit();
}

// Draws the frontier for the axes that are chosen, in the colours of the page, as wide as there is room.
const data = JSON.parse(document.getElementById("comparison-data").textContent);
const figure = document.getElementById("frontier");
const [risk, utility] = ["risk", "utility"].map((name) => document.getElementById(name));
const still = figure.querySelector(".drawing");
const live = document.createElement("div");
live.className = "live";
live.setAttribute("role", "img");

function coloured(spec) {
  const style = getComputedStyle(document.documentElement);
  let text = JSON.stringify(spec);
  for (const [sign, name] of Object.entries(data.colours)) {
    text = text.replaceAll(sign, style.getPropertyValue("--" + name).trim());
  }
  return JSON.parse(text);
}

function turned(channel, measure) {
  channel.title = measure.title;
  channel.axis = { ...channel.axis, labelExpr: measure.labels };
}

function chart() {
  const spec = coloured(data.spec);
  const measures = { x: data.measures[risk.value], y: data.measures[utility.value] };
  const view = data.views[risk.value + "|" + utility.value];
  // An empty layer would have no scale.
  spec.layer = spec.layer.filter((layer) => view.datasets[layer.data.name].length);
  // On a phone there is no room for words on lines; the text below has them.
  if (live.clientWidth < 480) {
    spec.layer = spec.layer.filter((layer) => layer.data.name !== "baselines" || layer.mark.type !== "text");
  }
  for (const layer of spec.layer) {
    for (const name of ["x", "y"]) {
      const channel = layer.encoding[name];
      if (channel && channel.field) turned(channel, measures[name]);
    }
    const { x, y } = layer.encoding;
    if (x && x.scale) {
      x.scale.domainMax = view.most;
      x.axis.values = view.ticks;
    }
    if (y && y.scale) y.scale.reverse = measures.y.lower;
  }
  return { ...spec, datasets: view.datasets, width: live.clientWidth, autosize: { type: "fit-x", contains: "padding" } };
}

let drawing = Promise.resolve(null);

function show() {
  drawing = drawing.then(async (before) => {
    const view = data.views[risk.value + "|" + utility.value];
    if (before) before.finalize();
    const made = await window.vegaEmbed(live, chart(), { actions: false, renderer: "svg", tooltip: { disableDefaultStyle: false } });
    live.setAttribute("aria-label", view.says);
    document.getElementById("frontier-says").textContent = view.says;
    live.dataset.view = risk.value + "|" + utility.value;
    return made;
  });
  return drawing;
}

figure.insertBefore(live, still);
await show();
still.remove();
document.getElementById("axes").hidden = false;
for (const axis of [risk, utility]) axis.addEventListener("change", show);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
let width = live.clientWidth;
new ResizeObserver(() => {
  if (live.clientWidth !== width) {
    width = live.clientWidth;
    show();
  }
}).observe(live);
