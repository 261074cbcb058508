// What belongs to a selection: the rule of jaxscope.program.links, on the page's `data`.
// No element of the page is touched here, so that a test can run it without a browser.

function keysOf(rows, keys, nodes) {
  const found = new Set();
  rows.forEach((row, i) => { if (nodes.has(row)) found.add(keys[i]); });
  return found;
}

function nodesWith(rows, keys, wanted) {
  const found = new Set();
  keys.forEach((key, i) => { if (wanted.has(key)) found.add(rows[i]); });
  return found;
}

// With the groups of shared functions: all that the nodes call; else only what is theirs alone.
function withInsides(stage, nodes, isShared) {
  const taken = [];
  const result = new Set(nodes);
  const ofSeveral = new Set(stage.sharedGroups);
  let before;
  do {
    before = result.size;
    const shown = keysOf(stage.shownNode, stage.shownGroup, result);
    stage.groupParent.forEach((parent, group) => {
      const isOwn = result.has(stage.groupOwner[group]);
      taken[group] = (isShared ? isOwn || shown.has(group) : isOwn && !ofSeveral.has(group))
        || (parent >= 0 && taken[parent]);
    });
    stage.group.forEach((group, node) => { if (group >= 0 && taken[group]) result.add(node); });
  } while (result.size > before);
  return result;
}

function linesOf(stage, nodes) {
  const lines = new Set();
  stage.sourceRow.forEach((row, i) => {
    if (nodes.has(row)) lines.add(`${stage.file[i]}:${stage.line[i]}`);
  });
  return lines;
}

// The nodes with the fusions around them, and which of all these are of the backward part: a
// fusion is if nothing else linked is inside.
function split(stage, nodes) {
  const backward = new Set();
  const result = new Set(nodes);
  const forwardOwners = new Set();
  nodes.forEach((node) => {
    const isBackward = stage.direction[node] === 2;
    const owner = stage.fusionOwner[node];
    if (isBackward) backward.add(node);
    if (owner < 0) return;
    result.add(owner);
    if (isBackward) backward.add(owner);
    else forwardOwners.add(owner);
  });
  forwardOwners.forEach((owner) => {
    if (!nodes.has(owner) || stage.direction[owner] !== 2) backward.delete(owner);
  });
  return { nodes: result, backward };
}

function linksOfLine(key) {
  const [file, line] = key.split(":").map(Number);
  const hits = data.stages.map((stage) => {
    const found = new Set();
    if (!stage.hasGraph) return found;
    stage.sourceRow.forEach((row, i) => {
      if (stage.file[i] === file && stage.line[i] === line) found.add(row);
    });
    return found;
  });
  const base = data.stages.findIndex((stage) => stage.isBase);
  const keys = base < 0
    ? new Set()
    : keysOf(data.stages[base].originRow, data.stages[base].originKey, hits[base]);
  return {
    lines: new Set([key]),
    stages: data.stages.map((stage, i) => {
      if (!stage.hasGraph) return split(stage, new Set());
      const more = nodesWith(stage.originRow, stage.originKey, keys);
      return split(stage, new Set([...hits[i], ...more]));
    }),
  };
}

// Inputs correspond by their place in the arguments; by position where none is known.
function sameInputs(mine, chosen, stage) {
  if (mine.argumentRow.length && stage.argumentRow.length) {
    const keys = keysOf(mine.argumentRow, mine.argumentKey, chosen);
    return nodesWith(stage.argumentRow, stage.argumentKey, keys);
  }
  if (stage.inputs.length !== mine.inputs.length) return new Set();
  return new Set(stage.inputs.filter((_, k) => chosen.has(mine.inputs[k])));
}

// The source line with the parameter that an argument is passed to: from the definition on, the
// first that has its name, before the signature ends.
function lineOfParameter(path) {
  const name = (/^[\p{L}\p{N}_]+/u.exec(path) || [""])[0];
  const [file, first] = data.definition.split(":").map(Number);
  const lines = data.files[file] ? data.files[file].lines : [];
  if (!name || first < 1) return null;
  for (let i = first - 1; i < lines.length; i += 1) {
    if (lines[i].split(/[^\p{L}\p{N}_]+/u).includes(name)) return `${file}:${i + 1}`;
    if (/:\s*(#.*)?$/.test(lines[i])) return null;
  }
  return null;
}

function parameterLines(stage, chosen) {
  const keys = [...keysOf(stage.argumentRow, stage.argumentKey, chosen)];
  const lines = keys.map((key) => lineOfParameter(data.arguments[key]));
  return new Set(lines.filter((line) => line !== null));
}

function linksOfNodes(from, chosen) {
  const mine = data.stages[from];
  const inside = withInsides(mine, chosen, true);
  const own = withInsides(mine, chosen, false);
  const origins = keysOf(mine.originRow, mine.originKey, inside);
  const derived = keysOf(mine.derivedRow, mine.derivedKey, own);
  const ofCalls = new Set(data.callKeys);
  keysOf(mine.derivedRow, mine.derivedKey, inside).forEach((key) => {
    if (!ofCalls.has(key)) derived.add(key);
  });
  const stages = data.stages.map((stage, i) => {
    if (!stage.hasGraph) return split(stage, new Set());
    const useDerived = derived.size > 0 && stage.derivedKey.length > 0;
    const nodes = useDerived
      ? nodesWith(stage.derivedRow, stage.derivedKey, derived)
      : nodesWith(stage.originRow, stage.originKey, origins);
    if (i !== from) sameInputs(mine, chosen, stage).forEach((node) => nodes.add(node));
    return split(stage, nodes);
  });
  let lines = linesOf(mine, own);
  if (lines.size === 0) lines = linesOf(mine, inside);
  const base = data.stages.findIndex((stage) => stage.isBase);
  if (lines.size === 0 && base >= 0) lines = linesOf(data.stages[base], stages[base].nodes);
  if (lines.size === 0) lines = parameterLines(mine, chosen);
  return { lines, stages };
}
