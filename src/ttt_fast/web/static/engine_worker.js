// The worker of engine.js: it compiles the engine once, and answers one question after the other.

let started = null;

async function start({ wasm, parts }) {
  const { instance: { exports } } = await WebAssembly.instantiate(wasm);
  let place = exports.blob();
  for (const part of parts) {
    new Uint8Array(exports.memory.buffer).set(new Uint8Array(part), place);
    place += part.byteLength;
  }
  exports.init();
  return exports;
}

async function answer({ kind, line, nodes }) {
  const exports = await started;
  new Uint8Array(exports.memory.buffer).set(line, exports.line());
  const column = exports[kind](line.length, nodes);
  const numbers = [...new Int32Array(exports.memory.buffer, exports.out(), 16)];
  return kind === "choose" ? [numbers[0], column] : numbers;
}

onmessage = async ({ data }) => {
  if (data.wasm) started = start(data);
  else postMessage(await answer(data).then((numbers) => ({ numbers }), (error) => ({ error: error.message })));
};
