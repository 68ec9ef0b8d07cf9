/**
 * Prints where another process of Node is, even one whose thread never comes free: by Node's inspector, which SIGUSR1
 * starts. A program of its own, as it needs the pinned Node. Its argument is the number of the process; its output the names
 * of functions with their places, innermost first, or why there are none.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const list = 'http://127.0.0.1:9229/json/list';
const mostFrames = 12;

/** For the inspector to start, and for the thread to reach a statement. */
const waitMs = 20_000;

console.log(await stackOf(Number(process.argv[2])));

async function stackOf(pid) {
  if ((await targets()).length > 0) return 'no stack, as another process uses the port of the inspector';
  process.kill(pid, 'SIGUSR1');
  const address = await inspectorAddress();
  return address === undefined ? 'no stack, as in a call of the system' : await pausedAt(address);
}

async function inspectorAddress() {
  const deadline = Date.now() + waitMs;
  while (Date.now() < deadline) {
    const [target] = await targets();
    if (target !== undefined) return target.webSocketDebuggerUrl;
    await sleep(50);
  }
  return undefined;
}

async function targets() {
  try {
    const response = await fetch(list, { signal: AbortSignal.timeout(1_000) });
    return await response.json();
  } catch {
    return [];
  }
}

function pausedAt(address) {
  const socket = new WebSocket(address);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('no stack, as in a call of the system'), waitMs);
    socket.addEventListener('error', () => reject(new Error('its inspector refuses the connection')));
    socket.addEventListener('open', () => {
      for (const [id, method] of ['Debugger.enable', 'Debugger.pause'].entries())
        socket.send(JSON.stringify({ id, method }));
    });
    socket.addEventListener('message', ({ data }) => {
      const { method, params } = JSON.parse(data);
      if (method !== 'Debugger.paused') return;
      clearTimeout(timer);
      resolve(params.callFrames.slice(0, mostFrames).map(frameText).join(' < '));
    });
  }).finally(() => socket.close());
}

function frameText({ functionName, url, location }) {
  const file = url.slice(url.lastIndexOf('/') + 1);
  return `${functionName === '' ? '(anonymous)' : functionName} ${file}:${location.lineNumber + 1}`;
}
