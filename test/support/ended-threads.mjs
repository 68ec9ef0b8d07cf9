/** Loaded into all threads by NODE_OPTIONS, see ended-threads.ts: at a signal one of the serving threads of the process throws. */
import { BroadcastChannel, isMainThread, threadId, threadName } from 'node:worker_threads';

const channel = new BroadcastChannel('end-a-serving-thread');
channel.unref();
if (isMainThread && process.argv[1]?.includes('worker-main')) {
  const serving = [];
  channel.onmessage = ({ data }) => serving.push(data.begun);
  process.on('SIGURG', () => channel.postMessage({ end: serving.shift() }));
}
if (threadName?.startsWith('serving-')) {
  channel.onmessage = ({ data }) => {
    if (data.end === threadId)
      setImmediate(() => {
        throw new Error('ended by a test');
      });
  };
  channel.postMessage({ begun: threadId });
}
