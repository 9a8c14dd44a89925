// Runs commands of the built command line one after another, as its parent asks: main.js anew for each, everything it
// loads only once. What a command prints is kept and sent back.
import { pathToFileURL } from 'node:url';

const terminal = process.stdout.isTTY;
let runs = 0;

process.on('message', async ({ cli, args, cwd, env, isTerminal }) => {
  const printed = { stdout: [], stderr: [] };
  const writes = {};
  for (const name of ['stdout', 'stderr']) {
    const stream = process[name];
    writes[name] = stream.write;
    stream.isTTY = isTerminal ? true : terminal;
    stream.write = (chunk, encoding, then) => {
      printed[name].push(Buffer.from(chunk));
      (typeof encoding === 'function' ? encoding : then)?.();
      return true;
    };
  }
  process.chdir(cwd);
  process.env = env;
  process.argv = [process.execPath, cli, ...args];
  process.exitCode = 0;
  const known = new Map(process.eventNames().map((name) => [name, new Set(process.rawListeners(name))]));
  let failure = '';
  try {
    await import(`${pathToFileURL(cli)}?run=${++runs}`);
  } catch (error) {
    failure = `${error.stack}\n`;
    process.exitCode = 1;
  }
  for (const name of process.eventNames()) {
    for (const listener of process.rawListeners(name)) {
      if (!known.get(name)?.has(listener)) process.removeListener(name, listener);
    }
  }
  process.stdout.removeAllListeners('error');
  for (const [name, write] of Object.entries(writes)) process[name].write = write;
  const [stdout, stderr] = [printed.stdout, printed.stderr].map((parts) => Buffer.concat(parts).toString());
  const status = Number(process.exitCode);
  process.exitCode = 0;
  process.send({ status, stdout, stderr: stderr + failure });
});
