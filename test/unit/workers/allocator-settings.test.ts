import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { allocatorSettings } from '../../../src/workers/allocator-settings.ts';
import { nodeBinary } from '../../support/paths.ts';

test('what the environment says of the allocator counts', () => {
  const [name = ''] = Object.keys(allocatorSettings({}));
  expect(allocatorSettings({ PATH: '/bin' })).not.toEqual({});
  expect(allocatorSettings({ [name]: '7' })[name]).toBeUndefined();
});

/** Threads of the pool that compress at once allot memory of their own; told is how many areas of 64 MiB there are. */
const program = `
  const { deflate } = require('node:zlib');
  const { readFileSync } = require('node:fs');
  const bytes = require('node:crypto').randomBytes(4_000_000);
  let left = 64;
  for (let i = left; i > 0; i -= 1) deflate(bytes, { level: 1 }, () => {
    if ((left -= 1) > 0) return;
    const starts = readFileSync('/proc/self/maps', 'utf8').matchAll(/^([0-9a-f]+)-[0-9a-f]+ rw-p 00000000 00:00 0 *$/gm);
    console.log([...starts].filter(([, start]) => BigInt('0x' + start) % 67108864n === 0n).length);
  });
`;

test('threads share a few areas', async () => {
  const env = { ...process.env, UV_THREADPOOL_SIZE: '8', ...allocatorSettings({}) };
  const { stdout } = await promisify(execFile)(nodeBinary(), ['-e', program], { env });
  expect(Number(stdout)).toBeLessThanOrEqual(2);
});
