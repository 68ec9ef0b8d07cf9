/** Logs, streams and proxies over HTTP: options of the query, paths that go on, answers that are no objects. */
import { join } from 'node:path';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { Service, type Answer } from '../../support/service.ts';

let temporary: TempFolder;
let service: Service;
const pods = '/api/v1/namespaces/default/pods';

beforeAll(async () => {
  temporary = await makeTempFolder('connections');
  service = await Service.start(join(temporary.path, 'data'));
  for (const [name, nodeName] of [['free'], ['placed', 'n1']]) {
    const spec = { containers: [{ name: 'main', image: 'busybox:1' }], nodeName };
    const { status } = await service.ask({ method: 'POST', path: pods, body: { metadata: { name }, spec } });
    expect(status).toBe(201);
  }
});
afterAll(async () => {
  await service.child.stop();
  await temporary.remove();
});

function message({ body }: Answer): string {
  return (JSON.parse(body) as { message: string }).message;
}

test('a pod without a node has no log', async () => {
  const path = `${pods}/free/log?container=main&follow=true&tailLines=5&timestamps`;
  expect(await service.ask({ path })).toEqual({ status: 204, body: '' });
});

test.each<[string, string, number, string]>([
  ['GET', 'free/log?tailLines=five', 400, 'tailLines: "five" is no integer'],
  ['GET', 'free/log?sinceTime=yesterday', 400, 'unable to read the options: sinceTime'],
  ['GET', 'free/log?container=other', 400, 'container other is not valid for pod free'],
  ['GET', 'placed/log', 404, 'nodes "n1" not found'],
  ['DELETE', 'free/log', 405, 'does not allow this method'],
  ['GET', 'free/log/more', 404, 'could not find the requested resource'],
  ['POST', 'placed/exec?command=ls&command=-l&stdout=true', 404, 'nodes "n1" not found'],
  ['GET', 'free/attach', 400, 'does not have a host assigned'],
  ['PUT', 'free/exec', 405, 'does not allow this method'],
  ['POST', 'free/portforward?ports=80', 400, 'does not have a host assigned'],
  ['DELETE', 'free/proxy/some/path/', 400, 'address not allowed'],
  ['PATCH', 'free:80/proxy/', 400, 'address not allowed'],
])('%s %s is %i', async (method, path, status, text) => {
  const answer = await service.ask({ method, path: `${pods}/${path}` });
  expect(message(answer)).toContain(text);
  expect(answer.status).toBe(status);
});

test('the body of a proxy request is not decoded', async () => {
  const path = `${pods}/free/proxy/form`;
  const answer = await service.ask({ method: 'POST', path, body: { kind: 'Anything' } });
  expect(answer.status).toBe(400);
  expect(message(answer)).toBe('address not allowed');
});
