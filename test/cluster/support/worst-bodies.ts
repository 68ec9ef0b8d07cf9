/** Bodies of just under 3 MB that take the most processor time or memory of all that are known. */
export interface WorstBody {
  readonly path: string;
  readonly body: string;
}

const most = 3 * 1024 * 1024 - 1_000;
const core = '/api/v1/namespaces/web';

/** As many items as fit, one after the other. */
function full(head: string, item: (i: number) => string, tail: string): string {
  const parts: string[] = [];
  let length = head.length + tail.length;
  for (let i = 0; length + 80 < most; i += 1) {
    const text = item(i);
    parts.push(text);
    length += text.length + 1;
  }
  return `${head}${parts.join(',')}${tail}`;
}

export const worstBodies: readonly WorstBody[] = [
  {
    path: `${core}/services`,
    body: full(
      '{"metadata":{"name":"a"},"spec":{"ports":[',
      (i) => `{"name":"p${String(i)}","port":${String((i % 60_000) + 1)}}`,
      ']}}',
    ),
  },
  {
    path: `${core}/services`,
    body: full(
      '{"metadata":{"name":"a"},"spec":{"ports":[{"port":1}],"clusterIPs":[',
      () => '"10.0.0.1"',
      ']}}',
    ),
  },
  {
    path: `${core}/pods`,
    body: full(
      '{"metadata":{"name":"a"},"spec":{"containers":[',
      (i) => `{"name":"c${String(i)}","image":"i"}`,
      ']}}',
    ),
  },
  { path: `${core}/pods`, body: full('{"metadata":{"name":"a"},"spec":{"containers":[', () => '{}', ']}}') },
  {
    path: `${core}/resourcequotas?dryRun=All`,
    body: full(
      '{"metadata":{"name":"a"},"spec":{"hard":{"count/x.b":"1"},"scopes":[',
      () => '"BestEffort"',
      ']}}',
    ),
  },
  {
    path: `${core}/endpoints`,
    body: full(
      '{"metadata":{"name":"a"},"subsets":[',
      () => '{"addresses":[{"ip":"1.2.3.4"}],"ports":[{"port":1}]}',
      ']}',
    ),
  },
  {
    path: '/apis/authorization.orch.io/v1/selfsubjectaccessreviews',
    body: full('{"spec":{"extra":{"a":[', () => '"x"', ']}}}'),
  },
  {
    path: `${core}/configmaps`,
    body: full('{"metadata":{"name":"a"},"data":{', (i) => `"k${String(i)}":""`, '}}'),
  },
];
