// Between a test that waits and the process that runs its commands; see warm.testing.ts. A process that ends is
// replaced, and its exit code is the answer.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';

const { port, flag } = workerData;
const CHILD = fileURLToPath(new URL('warm-child.js', import.meta.url));
let child;

port.on('message', (command) => {
  child ??= fork(CHILD, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const answer = (result) => {
    child?.removeAllListeners();
    port.postMessage(result);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  };
  child.once('message', answer);
  child.once('exit', (status, signal) => {
    const ended = { status, signal, stdout: '', stderr: '' };
    child.removeAllListeners();
    child = undefined;
    answer(ended);
  });
  child.send(command);
});
