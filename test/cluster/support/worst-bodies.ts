/** Bodies of just under 3 MB that take the most processor time or memory of all that are known. */
export interface WorstBody {
  readonly path: string;
  readonly body: string;
}

const most = 3 * 1024 * 1024 - 1_000;
const core = '/api/v1/namespaces/web';

/** As many items as fit, one after the other; none of them is longer than this. */
function full(head: string, item: (i: number) => string, tail: string, itemBytes = 80): string {
  const parts: string[] = [];
  let length = head.length + tail.length;
  for (let i = 0; length + itemBytes < most; i += 1) {
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
  {
    path: '/apis/node.orch.io/v1/runtimeclasses?dryRun=All',
    body: full(
      '{"metadata":{"name":"a"},"handler":"h","scheduling":{"tolerations":[',
      (i) => `{"key":"k${String(i)}","operator":"Exists"}`,
      ']}}',
    ),
  },
  {
    path: '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations?dryRun=All',
    body: full(
      '{"metadata":{"name":"a"},"webhooks":[{"name":"a.b.c","clientConfig":{"url":"https://b.c"},"sideEffects":"None","admissionReviewVersions":["v1"],"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":[',
      () => '"*"',
      ']}]}]}',
    ),
  },
  {
    path: '/api/v1/nodes?dryRun=All',
    body: full(
      '{"metadata":{"name":"a"},"status":{"addresses":[',
      (i) => `{"type":"InternalIP","address":"10.${octetsOf(i)}"}`,
      ']}}',
    ),
  },
  {
    path: `${core}/configmaps?dryRun=All`,
    body: full(
      '{"metadata":{"name":"a","managedFields":[',
      (i) =>
        `{"manager":"m${String(i)}","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:k${String(i)}":{}}}}`,
      ']}}',
      200,
    ),
  },
];

function octetsOf(i: number): string {
  return `${String((i >> 16) & 255)}.${String((i >> 8) & 255)}.${String(i & 255)}`;
}
