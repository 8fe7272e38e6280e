// Runs the core's work in V8. Reads a JSON object a line: `policy`, `statement`, or `round`, a batch's milliseconds;
// answers a round with the nanoseconds a call of every statement, as one JSON array a line.
const { readFileSync } = require('node:fs');
const { createInterface } = require('node:readline');

const module = new WebAssembly.Module(readFileSync(process.argv[1]));
const core = new WebAssembly.Instance(module, {}).exports;
const calls = [];

function put(text) {
  for (const byte of Buffer.from(text)) core.put(byte);
}

function check(ok, what) {
  if (ok !== 1) throw new Error(`the module refuses ${what}`);
}

function time(statement, count) {
  const start = process.hrtime.bigint();
  check(core.scan_decide(statement, count), 'the work');
  return Number(process.hrtime.bigint() - start);
}

function round(milliseconds) {
  return calls.map((count, statement) => {
    let taken = time(statement, count);
    while (taken < milliseconds * 1e6 && count < 1 << 30) {
      count *= 2;
      taken = time(statement, count);
    }
    calls[statement] = count;
    return taken / count;
  });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const asked = JSON.parse(line);
  if (asked.policy !== undefined) {
    put(asked.policy);
    check(core.take_policy(), 'the policy');
  } else if (asked.statement !== undefined) {
    put(asked.statement);
    check(core.take_statement(), 'a statement');
    calls.push(1);
  } else {
    console.log(JSON.stringify(round(asked.round)));
  }
});
