/** Members that older releases write without a value: `creationTimestamp: null` until 1.33, at every place; `selfLink` at none. */
import { startControlPlane, type ControlPlane } from '../../../src/testing/index.ts';
import { answerIn, asTable } from './support/answer-in.ts';

const metadata = { name: 'web', namespace: 'default' };
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
};
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: { selector: { matchLabels: { app: 'web' } }, template },
};
const path = '/apis/apps/v1/namespaces/default/deployments';

/** Paths of members of this name, with their values. */
function membersNamed(name: string, value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => membersNamed(name, item, `${at}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(key === name ? [`${at}.${key}=${member === null ? 'null' : typeof member}`] : []),
    ...membersNamed(name, member, `${at}.${key}`),
  ]);
}

/** What the service writes at each place. */
async function answersOf(plane: ControlPlane): Promise<Record<string, unknown>> {
  const { admin } = plane;
  const ask = (method: string, to: string, more: object = {}): Promise<unknown> =>
    admin.request({ method, path: to, ...more });
  const created = await ask('POST', path, { body: deployment });
  const applied = await ask('PATCH', `${path}/web?fieldManager=me&force=true`, {
    body: deployment,
    contentType: 'application/apply-patch+yaml',
  });
  await plane.settled();
  return {
    created,
    applied,
    read: await ask('GET', `${path}/web`),
    list: await ask('GET', path),
    table: await answerIn(plane, path, asTable),
    tableOfObjects: await answerIn(plane, `${path}?includeObject=Object`, asTable),
    scale: await ask('GET', `${path}/web/scale`),
    review: await ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      body: { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
    }),
    token: await ask('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {
      body: { spec: {} },
    }),
    gone: await ask('DELETE', `${path}/web`),
  };
}

const ofTemplate = '.spec.template.metadata.creationTimestamp=null';

test.each([
  ['1.21', true],
  ['1.29', true],
  ['1.33', true],
  ['1.34', false],
  ['1.36', false],
])('in %s times that are not known are written: %s', async (release, isWritten) => {
  const plane = await startControlPlane({ release });
  try {
    const answers = await answersOf(plane);
    const nulls = Object.fromEntries(
      Object.entries(answers).map(([place, answer]) => [
        place,
        membersNamed('creationTimestamp', answer).filter((member) => member.endsWith('null')),
      ]),
    );
    const own = isWritten ? ['.metadata.creationTimestamp=null'] : [];
    const inTemplate = isWritten ? [ofTemplate] : [];
    expect(nulls).toEqual({
      ...{ created: inTemplate, applied: inTemplate, read: inTemplate },
      list: isWritten ? [`.items[]${ofTemplate}`] : [],
      table: [],
      tableOfObjects: isWritten ? [`.rows[].object${ofTemplate}`] : [],
      ...{ scale: [], review: own, token: own, gone: [] },
    });
    expect(Object.values(answers).flatMap((answer) => membersNamed('selfLink', answer))).toEqual([]);
  } finally {
    await plane.stop();
  }
});
