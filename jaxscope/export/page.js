// The page of one capture. All data is in the element `data`, or in `packed`, compressed; nothing is
// fetched, and text from the capture only ever becomes text nodes.

let data;

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
    const hint = element("p", "Click a line or a box: what came from it or went into it lights up.");
    hint.title = "Escape clears the choice. A box folds and unfolds by its sign, by a double click, "
      + "or by the keys − and +. Arrow keys walk from box to box, and Enter chooses one.";
    body.append(hint);
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
  const counts = data.stages.map((stage, i) => state.links.stages[i].nodes.size);
  data.stages.forEach((stage, i) => {
    if (stage.hasGraph && counts.some(Boolean)) {
      row(`in ${stage.short}`, counts[i] ? `${counts[i].toLocaleString("en")} linked` : "nothing linked");
    }
  });
  if (!counts.some(Boolean)) row("linked", "nothing in any stage");
  body.append(list);
  notesOf(selection).forEach((note) => body.append(element("p", `★ ${note}`, "note")));
  body.append(legend());
}

// What the marks mean, of those that are in sight.
function legend() {
  const list = element("p");
  list.id = "legend";
  const isAny = (name) => document.querySelector(`main .${name}`) !== null;
  for (const [name, text] of [["found", "found"], ["chosen", "chosen"], ["forward", "linked"],
    ["backward", "linked, backward"]]) {
    if (!isAny(`is-${name}`)) continue;
    const entry = element("span");
    entry.append(element("i", undefined, `${name}-sign`), document.createTextNode(text));
    list.append(entry);
  }
  return list;
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
    file.lines.slice(0, data.maxLines).forEach((line, i) => {
      const row = element("div", undefined, "linked");
      row.append(element("span", String(i + 1), "row"), ...coloured(line, file.words[i] || []));
      row.dataset.line = `${fileIndex}:${i + 1}`;
      text.append(row);
    });
  });
  makeWalkable(text);
  body.replaceChildren(data.files.length ? text : element("p", "No source is known.", "reason"));
  const first = text.querySelector(`[data-line="${data.definition}"]`);
  if (first) body.scrollTop = Math.max(0, first.offsetTop - 60);
}

// A line as text nodes and spans; `words` are starts, lengths and roles.
function coloured(line, words) {
  const parts = [];
  let end = 0;
  for (const [start, length, role] of words) {
    if (start > end) parts.push(document.createTextNode(line.slice(end, start)));
    parts.push(element("span", line.slice(start, start + length), role));
    end = start + length;
  }
  parts.push(document.createTextNode(line.slice(end)));
  return parts;
}

function wordsOf(line) {
  const pattern = new RegExp(data.programWords, "g");
  return [...line.slice(0, 2000).matchAll(pattern)].map((match) => {
    const role = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    return [match.index, match[0].length, role];
  });
}

// Colours lines when they are first seen: a program may have twenty thousand.
const colouring = new IntersectionObserver((rows) => {
  for (const { target, isIntersecting } of rows) {
    if (!isIntersecting) continue;
    colouring.unobserve(target);
    const line = target.textContent;
    target.replaceChildren(...coloured(line, wordsOf(line)));
  }
}, { rootMargin: "400px" });

function stageText(stage) {
  const text = element("div", undefined, "text");
  stage.lines.slice(0, data.maxLines).forEach((line, i) => {
    const row = element("div", line);
    colouring.observe(row);
    const node = stage.lineNodes[i];
    if (node >= 0 && stage.hasGraph) {
      row.className = "linked";
      row.dataset.nodes = String(node);
    }
    text.append(row);
  });
  if (stage.lines.length > data.maxLines) {
    const rest = stage.lines.length - data.maxLines;
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
  document.querySelectorAll("#strip [data-stage]").forEach((button) => {
    button.setAttribute("aria-pressed", String(Number(button.dataset.stage) === state.panes[0].stage));
  });
  paint();
}

function showStage(pane, stage) {
  pane.stage = stage;
  pane.detail = "drawing";
  showPane(pane);
}

const leastScale = 0.75; // below it words are hard to read
const mostScale = 1.5;

// Change the size of a pane's drawing by a factor, around a point of the pane; 0 fits it, as far as
// it stays legible.
function zoom(pane, factor, at) {
  const svg = pane.body.querySelector("svg");
  const box = svg.viewBox.baseVal;
  const { body } = pane;
  if (factor) {
    const scale = Math.min(4, Math.max(0.05, pane.scale * factor));
    const [x, y] = at || [body.clientWidth / 2, body.clientHeight / 2];
    const frame = body.getBoundingClientRect();
    const before = svg.getBoundingClientRect();
    const grown = scale / pane.scale;
    pane.scale = scale;
    resize(pane);
    const after = svg.getBoundingClientRect();
    body.scrollLeft += after.left - frame.left - x + (x + frame.left - before.left) * grown;
    body.scrollTop += after.top - frame.top - y + (y + frame.top - before.top) * grown;
    return;
  }
  const wide = body.clientWidth / box.width;
  const fitting = Math.min(wide, (body.clientHeight - 2) / box.height);
  pane.scale = Math.min(mostScale, Math.max(fitting, Math.min(wide, 1), leastScale));
  resize(pane);
  const first = svg.querySelector("[data-nodes]:not(:has(.frame))") || svg;
  const place = first.getBoundingClientRect();
  const frame = body.getBoundingClientRect();
  body.scrollTop = 0;
  body.scrollLeft += place.left + place.width / 2 - frame.left - frame.width / 2;
}

// Drag the ground to move the picture; the wheel with Ctrl changes its size.
function makeMovable(pane) {
  const { body } = pane;
  let from = null;
  body.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.pointerType !== "mouse" || !event.target.closest("svg")) return;
    from = [event.clientX + body.scrollLeft, event.clientY + body.scrollTop];
  });
  window.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const [left, top] = [from[0] - event.clientX, from[1] - event.clientY];
    const moved = Math.abs(left - body.scrollLeft) + Math.abs(top - body.scrollTop);
    if (moved > 4) body.classList.add("is-dragged");
    if (body.classList.contains("is-dragged")) [body.scrollLeft, body.scrollTop] = [left, top];
  });
  window.addEventListener("pointerup", () => { from = null; });
  body.addEventListener("click", (event) => {
    if (!body.classList.contains("is-dragged")) return;
    body.classList.remove("is-dragged");
    event.stopPropagation(); // the end of a drag chooses nothing
  }, true);
  body.addEventListener("wheel", (event) => {
    if (!event.ctrlKey || !body.querySelector("svg")) return;
    event.preventDefault();
    const frame = body.getBoundingClientRect();
    zoom(pane, 1.0015 ** -event.deltaY, [event.clientX - frame.left, event.clientY - frame.top]);
  }, { passive: false });
}

function makePane(section, stageIndex, form) {
  const pane = { stage: stageIndex, form, scale: 1, buttons: {}, detail: "drawing" };
  pane.body = section.querySelector(".body");
  const bar = section.querySelector(".bar");
  pane.chooser = element("select");
  pane.chooser.setAttribute("aria-label", "Stage");
  pane.chooser.hidden = state.panes.length === 0; // the line above chooses that of the first pane
  data.stages.forEach((stage, i) => {
    const option = element("option", stage.title);
    option.value = String(i);
    pane.chooser.append(option);
  });
  pane.chooser.addEventListener("change", () => showStage(pane, Number(pane.chooser.value)));
  bar.append(pane.chooser);
  const forms = element("span", undefined, "forms");
  for (const name of ["graph", "text"]) {
    const button = element("button", name === "graph" ? "Graph" : "Text");
    button.addEventListener("click", () => {
      pane.form = name;
      showStage(pane, pane.stage);
    });
    pane.buttons[name] = button;
    forms.append(button);
  }
  bar.append(forms);
  pane.zoomer = element("span", undefined, "zoomer");
  for (const [label, name, factor] of [["−", "Smaller", 0.8], ["+", "Larger", 1.25]]) {
    const button = element("button", label);
    button.title = name;
    button.setAttribute("aria-label", name);
    button.addEventListener("click", () => zoom(pane, factor));
    pane.zoomer.append(button);
  }
  for (const [label, name, act] of [
    ["Fold all", "Close every group", () => foldAll(pane, true)],
    ["Unfold all", "Open every group", () => foldAll(pane, false)],
    ["Fit", "As at first, fitted to the pane", () => showStage(pane, pane.stage)],
  ]) {
    const button = element("button", label);
    button.title = name;
    button.addEventListener("click", act);
    pane.zoomer.prepend(button);
  }
  bar.append(pane.zoomer);
  makeMovable(pane);
  state.panes.push(pane);
}

function resize(pane) {
  const svg = pane.body.querySelector("svg");
  const box = svg.viewBox.baseVal;
  svg.setAttribute("width", box.width * pane.scale);
  svg.setAttribute("height", box.height * pane.scale);
}

// The stages that the program went through, then those beside the way, then the second pane.
function showStrip() {
  const strip = document.getElementById("strip");
  const offer = (stage, i, sign) => {
    if (sign) strip.append(element("span", sign, "arrow"));
    const button = element("button", stage.short);
    button.dataset.stage = i;
    button.title = [stage.title, stage.note].filter(Boolean).join(": ");
    if (stage.isMissing) button.classList.add("is-missing");
    else button.append(element("small", stage.note));
    button.addEventListener("click", () => showStage(state.panes[0], i));
    strip.append(button);
  };
  let sign = "";
  data.stages.forEach((stage, i) => {
    if (!stage.isOnTheWay) return;
    offer(stage, i, sign);
    sign = "›";
  });
  data.stages.forEach((stage, i) => {
    if (!stage.isOnTheWay && stage.isOffered) offer(stage, i, "·");
  });
  const second = element("button", "Two stages", "last");
  second.title = "Show another stage beside this one";
  second.addEventListener("click", () => setDouble(second, !isDouble()));
  strip.append(second);
  setDouble(second, window.innerWidth >= 1600);
}

const isDouble = () => document.querySelector("main").classList.contains("is-double");

function setDouble(button, isWanted) {
  document.querySelector("main").classList.toggle("is-double", isWanted);
  document.getElementById("beside").hidden = !isWanted;
  button.setAttribute("aria-pressed", String(isWanted));
  state.panes.forEach(showPane);
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

function start() {
  data = JSON.parse(document.getElementById("data").textContent);
  showSource();
  startSearch();
  startWalking();
  if (data.stages.length) {
    makePane(document.getElementById("program"), data.first[0], "graph");
    makePane(document.getElementById("beside"), data.first[1], "graph");
    showStrip();
  }
  inspect();
}

function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text().then((content) => {
    const holder = document.createElement("template");
    holder.innerHTML = content;
    document.body.append(holder.content);
  });
}

const packed = document.getElementById("packed");
if (!packed) start();
else if (window.DecompressionStream) unpack(packed).then(start);
else document.querySelector("main").textContent = "This page needs a browser of 2023 or later.";
