/** The service inside another program, which has a router of its own beside the API. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { Child } from '../../support/child-process.ts';
import { readAnswer, type Answer } from '../../support/http/room.ts';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';
import { startMs } from '../../support/service.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

let folder: TempFolder;
let program: Child | undefined;

beforeEach(async () => {
  folder = await makeTempFolder('library');
});
afterEach(async () => {
  await program?.stop(30_000);
  await folder.remove();
});

function start(...words: string[]): Promise<Child> {
  const file = join(repositoryRoot, 'test', 'integration', 'server', 'support', 'library-program.ts');
  return Child.start({
    name: 'program',
    program: nodeBinary(),
    args: [file, folder.path, ...words],
    cwd: repositoryRoot,
  });
}

/** As the administrator. */
function get(url: string): Promise<Answer> {
  const read = (name: string): Buffer => readFileSync(join(folder.path, 'pki', name));
  return new Promise((resolve, reject) => {
    const tls = { ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key') };
    request(url, { ...tls, agent: false }, (res) => {
      resolve(readAnswer(res));
    })
      .once('error', reject)
      .end();
  });
}

test('its router answers beside the API', async () => {
  const child = (program = await start());
  const url = await waitFor(
    'the program to serve',
    () => /"url":"([^"]+)"/.exec(child.output())?.[1] ?? false,
    {
      timeout: startMs,
      details: () => child.output(),
    },
  );
  const [own, api] = [await get(`${url}/hello`), await get(`${url}/api/v1/namespaces/default`)];
  expect([own.code, own.text]).toEqual([200, 'hello']);
  expect([api.code, api.json()['kind']]).toEqual([200, 'Namespace']);
});

test('it is told that workers cannot have the router', async () => {
  const child = (program = await start('supervised'));
  await within('the end of the program', startMs, child.exited);
  expect(child.output()).toContain('extendExpress needs a service without workers');
});
