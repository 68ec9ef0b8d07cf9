/** Loaded into a worker by NODE_OPTIONS: gives it the bugs that tests of its supervisor need, one for each signal, one at the start. */
const hoard = [];
const fillMemory = () => {
  for (;;) hoard.push(new Array(100_000).fill(0).map((_, i) => ({ i })));
};

if (process.argv[1]?.includes('worker-main')) {
  if (process.env.MISBEHAVE === 'at the start') fillMemory();
  process.on('SIGUSR2', fillMemory);
  process.on('SIGURG', () => {
    throw new Error('a bug of the test');
  });
}
