/** A configuration whose place a named pipe takes behind the reading of it. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Logger } from '../../../src/observe/log.ts';
import type { CredentialSource } from '../../../src/options/credential-sources.ts';
import type { Credentials } from '../../../src/options/credentials.ts';
import { CredentialWatcher } from '../../../src/server/credential-files.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

test('holds up neither the other files nor the stop', async () => {
  const folder = await makeTempFolder('piped');
  const pipe = `${folder.path}/configuration`;
  execFileSync('mkfifo', [pipe]);
  writeFileSync(`${folder.path}/tokens`, 'a');
  const credentials = {} as Credentials;
  let asked = 0;
  const source = (flag: string, configuration: string): CredentialSource => ({
    ...{ flag, configuration, read: () => Promise.resolve(credentials) },
    files: () => {
      asked += 1;
      return [];
    },
  });
  const stopping = new AbortController();
  const watcher = new CredentialWatcher([source('a', pipe), source('b', `${folder.path}/tokens`)], {
    credentials,
    logger: { info: () => undefined, warn: () => undefined } as unknown as Logger,
    clock: new HandClock(),
    serving: { use: () => undefined, fileReloads: { note: () => undefined, use: () => undefined } },
  });
  const running = watcher.run(stopping.signal);
  try {
    await waitFor('the files to be looked at', () => asked >= 2, { timeout: 3_000 });
  } finally {
    stopping.abort();
    // Lets go of a reader, were there one.
    await (await open(pipe, 'r+')).close();
    await running;
    await folder.remove();
  }
});
