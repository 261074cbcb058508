// Searching the page's `data`: which nodes and which lines have every word of a query.
// The first part touches no element of the page, so that a test can run it without a browser.

// A query as tests of a lower-case text: words, of which all must occur, or one /expression/.
// An expression that is none finds nothing, and says so.
function readQuery(text) {
  const trimmed = text.trim();
  if (trimmed.length > 2 && trimmed.startsWith("/") && trimmed.endsWith("/")) {
    try {
      const expression = new RegExp(trimmed.slice(1, -1), "i");
      return { tests: [(words) => expression.test(words)], problem: "" };
    } catch (error) {
      return { tests: [], problem: "no regular expression" };
    }
  }
  const words = trimmed.toLowerCase().split(/\s+/).filter(Boolean);
  return { tests: words.map((word) => (all) => all.includes(word)), problem: "" };
}

// What can be found of a node: operation, id, name, types, scope, attributes.
function wordsOfNode(stage, node) {
  const places = [stage.operation[node], stage.id[node], stage.name[node], ...stage.types[node],
    ...stage.scope[node], ...stage.attributes[node]];
  return places.map((place) => stage.strings[place]).join(" ").toLowerCase();
}

// The nodes of a stage that match, in program order. A stage without details is found by its text.
function findNodes(stage, query) {
  const found = new Set();
  if (query.tests.length === 0) return found;
  const matches = (words) => query.tests.every((test) => test(words));
  if (stage.hasDetails) {
    if (!stage.words) stage.words = stage.id.map((_, node) => wordsOfNode(stage, node));
    stage.words.forEach((words, node) => { if (matches(words)) found.add(node); });
  }
  stage.lines.forEach((line, i) => {
    const node = stage.lineNodes[i];
    if (node >= 0 && stage.hasGraph && matches(line.toLowerCase())) found.add(node);
  });
  return new Set([...found].sort((a, b) => a - b));
}

// Lines that match, by 0-based number.
function findLines(lines, query) {
  const found = new Set();
  if (query.tests.length === 0) return found;
  lines.forEach((line, i) => {
    if (query.tests.every((test) => test(line.toLowerCase()))) found.add(i);
  });
  return found;
}

// ---- the box ------------------------------------------------------------------------------------

const search = { nodes: [], lines: [], at: -1, wait: 0 };

function isFound(stageIndex, nodes) {
  const hits = search.nodes[stageIndex];
  return hits !== undefined && nodes.some((node) => hits.has(node));
}

function runSearch(text) {
  const query = readQuery(text);
  search.nodes = data.stages.map((stage) => findNodes(stage, query));
  search.lines = data.files.map((file) => findLines(file.lines, query));
  search.at = -1;
  paint();
  tellSearch(query.problem, text.trim() !== "");
}

function tellSearch(problem, isAsked) {
  const pane = state.panes[0];
  const here = pane ? search.nodes[pane.stage].size : 0;
  const all = search.nodes.reduce((sum, hits) => sum + hits.size, 0);
  const place = search.at >= 0 ? `${search.at + 1} of ${here}` : `${here} here, ${all} in all stages`;
  document.getElementById("found").textContent = problem || (isAsked ? place : "");
}

// Choose the next or the previous hit of the first pane's stage and bring it into sight.
function stepSearch(step) {
  const pane = state.panes[0];
  const hits = pane ? [...search.nodes[pane.stage]] : [];
  if (hits.length === 0) return;
  const first = step > 0 ? 0 : hits.length - 1;
  search.at = search.at < 0 ? first : (search.at + step + hits.length) % hits.length;
  select({ stage: pane.stage, nodes: new Set([hits[search.at]]) });
  tellSearch("", true);
}

function startSearch() {
  const box = document.getElementById("search");
  box.addEventListener("input", () => {
    clearTimeout(search.wait);
    search.wait = setTimeout(() => runSearch(box.value), 120); // typing goes on meanwhile
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      clearTimeout(search.wait);
      if (search.at < 0) runSearch(box.value);
      stepSearch(event.shiftKey ? -1 : 1);
      event.stopPropagation();
    }
    if (event.key === "Escape") { box.value = ""; runSearch(""); event.stopPropagation(); }
    if (event.key.startsWith("Arrow")) event.stopPropagation();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target !== box) { box.focus(); event.preventDefault(); }
  });
}
