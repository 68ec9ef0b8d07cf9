/** A program that uses the library: serves with a router of its own until SIGTERM. Its argument is the data folder. */
import { completeConfig, configFromFlags, runServer } from '../../../../src/index.ts';

const { config } = await configFromFlags({ 'data-dir': process.argv[2] ?? '', 'secure-port': '0' });
const { completed, errors } = await completeConfig(config);
if (errors.length > 0) throw new Error(JSON.stringify(errors));
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
