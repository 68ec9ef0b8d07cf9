/** The audit log on a disk that is full: events are lost, and the requests that they are about do not wait for that. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { LogFile } from '../../../src/audit/log-file.ts';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

let waits = 0;

/** A log whose waits are counted. */
function logAt(path: string): LogFile {
  const setTimeout: Clock['setTimeout'] = (...words) => {
    waits += 1;
    return systemClock.setTimeout(...words);
  };
  const clock = { ...systemClock, setTimeout };
  return new LogFile({ clock, path, maxBytes: 1e9, maxAgeMs: 0, maxBackups: 0, compresses: false });
}

/** Until it is restored, no file takes a byte. */
async function fullDisk(path: string): Promise<jest.SpyInstance> {
  await using handle = await open(path);
  const ofAll = Object.getPrototypeOf(handle) as typeof handle;
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  return jest.spyOn(ofAll, 'write').mockRejectedValue(error);
}

test('one event waits for the end of a torn line, and those behind it are lost at once', async () => {
  const folder = await makeTempFolder('full-disk');
  const path = join(folder.path, 'audit.log');
  writeFileSync(path, 'whole\ncut');
  const file = logAt(path);
  const written = await fullDisk(path);
  for (let i = 0; i < 10; i += 1) await expect(file.write(['lost'])).rejects.toThrow('ENOSPC');
  expect([written.mock.calls.length, waits]).toEqual([10, 1]);
  written.mockRestore();
  // What another process has added meanwhile may be the beginning of a line that it is about to end.
  appendFileSync(path, ' further');
  await file.write(['next']);
  expect(waits).toBe(2);
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe('whole\ncut further\nnext\n');
  await folder.remove();
});
