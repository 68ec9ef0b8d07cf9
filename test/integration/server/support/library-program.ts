/** A program that uses the library: serves with a router of its own until SIGTERM. Its argument is the data folder. */
import { completeConfig, configFromFlags, runServer } from '../../../../src/index.ts';

const { config } = await configFromFlags({ 'data-dir': process.argv[2] ?? '', 'secure-port': '0' });
const { completed, faults } = await completeConfig(config);
if (faults.length > 0) throw new Error(JSON.stringify(faults));
const stop = new AbortController();
process.once('SIGTERM', () => {
  stop.abort();
});
await runServer(completed, {
  signal: stop.signal,
  notify: ({ fields }) => console.log(JSON.stringify(fields)),
  supervised: process.argv.includes('supervised'),
  extendExpress: (app) => {
    app.get('/hello', (_req, res) => {
      res.send('hello');
    });
  },
});
