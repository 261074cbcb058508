// The page of one capture. All data is in the element `data`; nothing is fetched, and text from
// the capture only ever becomes text nodes.

const data = JSON.parse(document.getElementById("data").textContent);
const { maxLines } = data;

const state = { selection: null, links: null, panes: [] };

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// ---- selection ---------------------------------------------------------------------------------

function select(selection) {
  state.selection = selection;
  if (selection === null) state.links = null;
  else if (selection.line !== undefined) state.links = linksOfLine(selection.line);
  else state.links = linksOfNodes(selection.stage, selection.nodes);
  paint();
  inspect();
}

function classOf(stageIndex, nodes) {
  const selection = state.selection;
  if (selection === null) return "";
  if (selection.stage === stageIndex && nodes.some((node) => selection.nodes.has(node))) {
    return "is-chosen";
  }
  const links = state.links.stages[stageIndex];
  const linked = nodes.filter((node) => links.nodes.has(node));
  if (linked.length === 0) return "";
  return linked.every((node) => links.backward.has(node)) ? "is-backward" : "is-forward";
}

function mark(target, className) {
  target.classList.remove("is-chosen", "is-forward", "is-backward");
  if (className) target.classList.add(className);
}

function paint() {
  document.querySelectorAll("#source [data-line]").forEach((row) => {
    const isSelected = state.selection !== null && state.selection.line === row.dataset.line;
    const isLinked = state.links !== null && state.links.lines.has(row.dataset.line);
    mark(row, isSelected ? "is-chosen" : isLinked ? "is-forward" : "");
    const [file, line] = row.dataset.line.split(":").map(Number);
    row.classList.toggle("is-found", search.lines.length > 0 && search.lines[file].has(line - 1));
  });
  scrollToFirst(document.querySelector("#source .body"));
  for (const pane of state.panes) {
    pane.body.querySelectorAll("[data-nodes]").forEach((target) => {
      const nodes = target.dataset.nodes.split(" ").map(Number);
      mark(target, classOf(pane.stage, nodes));
      target.classList.toggle("is-found", isFound(pane.stage, nodes));
    });
    scrollToFirst(pane.body);
  }
  markBookmarks();
}

function scrollToFirst(body) {
  const first = body.querySelector(".is-chosen:not(.is-away)")
    || body.querySelector(".is-forward, .is-backward, .is-found");
  if (first === null || body.contains(document.activeElement)) return;
  const box = first.getBoundingClientRect();
  const frame = body.getBoundingClientRect();
  if (box.top < frame.top || box.bottom > frame.bottom) {
    body.scrollTop += box.top - frame.top - frame.height / 3;
  }
  if (first.closest("svg") && (box.left < frame.left || box.right > frame.right)) {
    body.scrollLeft += box.left - frame.left - frame.width / 3;
  }
}

// ---- inspector ---------------------------------------------------------------------------------

function inspect() {
  const body = document.querySelector("#inspector .body");
  body.replaceChildren();
  const selection = state.selection;
  if (selection === null) {
    body.append(element("p", "Choose a source line, a line of text or a box: everything that came "
      + "from it or went into it lights up in every pane. Escape clears the choice. A box folds and "
      + "unfolds by its sign, by a double click, or by the keys − and +; arrow keys walk from box to "
      + "box, and Enter chooses one."));
    body.append(listBookmarks());
    return;
  }
  const list = element("dl");
  const row = (name, value) => {
    if (value) list.append(element("dt", name), element("dd", value));
  };
  if (selection.line !== undefined) {
    const [file, line] = selection.line.split(":").map(Number);
    row("source line", `${data.files[file].path}:${line}`);
  } else {
    const stage = data.stages[selection.stage];
    [...selection.nodes].slice(0, 6).forEach((node) => describe(stage, node, row));
    row("more", selection.nodes.size > 6 ? `${selection.nodes.size - 6} more` : "");
  }
  data.stages.forEach((stage, i) => {
    const count = state.links.stages[i].nodes.size;
    if (stage.hasGraph) row(`in ${stage.title}`, count ? `${count} linked` : "nothing linked");
  });
  body.append(list);
  notesOf(selection).forEach((note) => body.append(element("p", `★ ${note}`, "note")));
}

function describe(stage, node, row) {
  if (!stage.hasDetails) {
    row("node", `number ${node}; this stage is too large for details in a page`);
    return;
  }
  const strings = stage.strings;
  const words = (index) => index.map((s) => strings[s]).join(", ");
  row(data.kinds[stage.kind[node]], `${strings[stage.operation[node]]}  ${strings[stage.id[node]]}`);
  row("called", strings[stage.name[node]]);
  row("type", words(stage.types[node]));
  const pairs = stage.attributes[node];
  for (let i = 0; i + 1 < pairs.length; i += 2) row(strings[pairs[i]], strings[pairs[i + 1]]);
  row("scope", words(stage.scope[node]).replaceAll(", ", " / "));
  row("direction", ["", "forward", "backward"][stage.direction[node]]);
  row("cost", stage.cost[node]);
}

// ---- panes -------------------------------------------------------------------------------------

function showSource() {
  const body = document.querySelector("#source .body");
  const text = element("div", undefined, "text");
  data.files.forEach((file, fileIndex) => {
    if (data.files.length > 1) text.append(element("div", file.path, "reason"));
    file.lines.slice(0, maxLines).forEach((line, i) => {
      const row = element("div", undefined, "linked");
      row.append(element("span", String(i + 1), "number"), document.createTextNode(line));
      row.dataset.line = `${fileIndex}:${i + 1}`;
      text.append(row);
    });
  });
  makeWalkable(text);
  body.replaceChildren(data.files.length ? text : element("p", "No source is known.", "reason"));
  const first = text.querySelector(`[data-line="${data.definition}"]`);
  if (first) body.scrollTop = Math.max(0, first.offsetTop - 60);
}

function stageText(stage) {
  const text = element("div", undefined, "text");
  stage.lines.slice(0, maxLines).forEach((line, i) => {
    const row = element("div", line);
    const node = stage.lineNodes[i];
    if (node >= 0 && stage.hasGraph) {
      row.className = "linked";
      row.dataset.nodes = String(node);
    }
    text.append(row);
  });
  if (stage.lines.length > maxLines) {
    const rest = stage.lines.length - maxLines;
    text.append(element("div", `… ${rest} more lines are not shown here.`, "reason"));
  }
  makeWalkable(text);
  return text;
}

function makeWalkable(text) {
  const first = text.querySelector(".linked");
  if (first) first.tabIndex = 0;
  text.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.classList.contains("linked")) return;
    const rows = [...text.querySelectorAll(".linked")];
    const next = rows[rows.indexOf(event.target) + step];
    if (next) { next.tabIndex = 0; event.target.tabIndex = -1; next.focus(); choose(next); }
    event.preventDefault();
  });
}

function choose(target) {
  if (target.dataset.line) select({ line: target.dataset.line });
  else {
    const pane = state.panes.find((candidate) => candidate.body.contains(target));
    const nodes = new Set(target.dataset.nodes.split(" ").map(Number));
    select({ stage: pane.stage, nodes });
  }
}

function showPane(pane) {
  const stage = data.stages[pane.stage];
  const wantsGraph = pane.form === "graph";
  const reason = wantsGraph ? stage.noGraph : stage.noText;
  let content;
  if (reason) content = element("p", reason, "reason");
  else if (wantsGraph) {
    content = document.getElementById(`${pane.detail}-${pane.stage}`).content.cloneNode(true);
    content.querySelectorAll("[data-nodes], .sign").forEach((box) => { box.tabIndex = 0; });
  } else content = stageText(stage);
  pane.body.replaceChildren(content);
  pane.drawing = wantsGraph && !reason ? readDrawing(pane.body.querySelector("svg")) : null;
  if (pane.drawing) applyFolding(pane.drawing);
  pane.zoomer.hidden = !wantsGraph || Boolean(reason);
  if (!pane.zoomer.hidden) zoom(pane, 0);
  pane.chooser.value = String(pane.stage);
  for (const [form, button] of Object.entries(pane.buttons)) {
    button.setAttribute("aria-pressed", String(form === pane.form));
  }
  paint();
}

// Change the size of a pane's drawing by a factor; 0 fits it, as far as it stays legible.
function zoom(pane, factor) {
  const svg = pane.body.querySelector("svg");
  const box = svg.viewBox.baseVal;
  const middle = (pane.body.scrollLeft + pane.body.clientWidth / 2) / (box.width * pane.scale);
  const top = pane.body.scrollTop / (box.height * pane.scale);
  const fitting = Math.min(1, pane.body.clientWidth / box.width);
  pane.scale = factor ? Math.min(4, Math.max(0.05, pane.scale * factor)) : Math.max(0.5, fitting);
  resize(pane);
  if (factor) {
    pane.body.scrollLeft = middle * box.width * pane.scale - pane.body.clientWidth / 2;
    pane.body.scrollTop = top * box.height * pane.scale;
    return;
  }
  const first = svg.querySelector("[data-nodes]:not(:has(.frame))") || svg;
  const place = first.getBoundingClientRect();
  const frame = pane.body.getBoundingClientRect();
  pane.body.scrollTop = 0;
  pane.body.scrollLeft += place.left + place.width / 2 - frame.left - frame.width / 2;
}

function makePane(section, stageIndex, form) {
  const pane = { stage: stageIndex, form, scale: 1, buttons: {}, detail: "drawing" };
  pane.body = section.querySelector(".body");
  const bar = section.querySelector(".bar");
  pane.chooser = element("select");
  pane.chooser.setAttribute("aria-label", "Stage");
  data.stages.forEach((stage, i) => {
    const option = element("option", stage.title);
    option.value = String(i);
    pane.chooser.append(option);
  });
  pane.chooser.addEventListener("change", () => {
    pane.stage = Number(pane.chooser.value);
    pane.detail = "drawing";
    showPane(pane);
  });
  bar.append(pane.chooser);
  for (const name of ["graph", "text"]) {
    const button = element("button", name === "graph" ? "Graph" : "Text");
    button.addEventListener("click", () => {
      pane.form = name;
      pane.detail = "drawing";
      showPane(pane);
    });
    pane.buttons[name] = button;
    bar.append(button);
  }
  pane.zoomer = element("span", undefined, "zoomer");
  for (const [label, name, factor] of [["−", "Smaller", 0.8], ["+", "Larger", 1.25]]) {
    const button = element("button", label);
    button.title = name;
    button.setAttribute("aria-label", name);
    button.addEventListener("click", () => zoom(pane, factor));
    pane.zoomer.append(button);
  }
  const overview = element("button", "Overview");
  overview.title = "As at first, fitted to the width";
  overview.addEventListener("click", () => { pane.detail = "drawing"; showPane(pane); });
  const open = element("button", "Unfold all");
  open.addEventListener("click", () => foldAll(pane, false));
  const close = element("button", "Fold all");
  close.addEventListener("click", () => foldAll(pane, true));
  pane.zoomer.prepend(overview, open, close);
  bar.append(pane.zoomer);
  state.panes.push(pane);
}

function resize(pane) {
  const svg = pane.body.querySelector("svg");
  const box = svg.viewBox.baseVal;
  svg.setAttribute("width", box.width * pane.scale);
  svg.setAttribute("height", box.height * pane.scale);
}

function showStrip() {
  const strip = document.getElementById("strip");
  const legend = document.getElementById("legend");
  data.stages.forEach((stage, i) => {
    if (i) strip.insertBefore(element("span", "→", "arrow"), legend);
    const button = element("button", stage.title);
    button.append(element("small", stage.note));
    button.addEventListener("click", () => {
      const pane = state.panes[1];
      pane.stage = i;
      pane.detail = "drawing";
      showPane(pane);
    });
    strip.insertBefore(button, legend);
  });
}

// ---- start -------------------------------------------------------------------------------------

document.addEventListener("dblclick", (event) => {
  const frame = frameOf(event.target);
  if (frame && !event.target.closest(".sign")) fold(frame);
});
document.addEventListener("click", (event) => {
  if (event.target.closest(".sign")) {
    press(event.target.closest(".sign"));
    return;
  }
  const target = event.target.closest("[data-nodes], #source [data-line]");
  if (target) choose(target);
});
showSource();
startSearch();
startWalking();
if (data.stages.length) {
  makePane(document.getElementById("left"), data.first[0], "text");
  makePane(document.getElementById("right"), data.first[1], "graph");
  showStrip();
  state.panes.forEach(showPane);
}
inspect();
