/** Loaded into a worker by NODE_OPTIONS: gives it the bugs that tests of its supervisor need, one for each signal. */
const hoard = [];

if (process.argv[1]?.includes('worker-main')) {
  process.on('SIGUSR2', () => {
    for (;;) hoard.push(new Array(100_000).fill(0).map((_, i) => ({ i })));
  });
  process.on('SIGURG', () => {
    throw new Error('a bug of the test');
  });
}
