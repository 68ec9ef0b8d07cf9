/** Selectors of requests and reviews as authorizers read them. */
import { parseRequestInfo } from '../../../src/http/request-info-resolver.ts';
import { Query } from '../../../src/http/query.ts';
import { RequestSelectors } from '../../../src/meta/request-selectors.ts';

const selectorsOf = (method: string, path: string, query: string): RequestSelectors | undefined =>
  parseRequestInfo(method, path, new Query(query)).selectors;

test.each([
  ['GET', '/api/v1/pods', 'fieldSelector=a%3Db', true],
  ['GET', '/api/v1/pods', 'watch=1&labelSelector=a', true],
  ['DELETE', '/api/v1/namespaces/x/pods', 'labelSelector=a', true],
  ['GET', '/api/v1/pods', '', false],
  ['GET', '/api/v1/namespaces/x/pods/a', 'fieldSelector=a%3Db', false],
  ['POST', '/api/v1/namespaces/x/pods', 'labelSelector=a', false],
  ['GET', '/api/v1/watch/pods', 'labelSelector=a', false],
  ['GET', '/metrics', 'labelSelector=a', false],
])('%s %s?%s is narrowed: %s', (method, path, query, isNarrowed) => {
  expect(selectorsOf(method, path, query) !== undefined).toBe(isNarrowed);
});

test('terms are requirements of the review', () => {
  const selectors = new RequestSelectors('a=b,c!=d', 'k=v,l in (x,y),m notin (z),n,!o,p!=q,r>3');
  expect(selectors.fields).toEqual([
    { key: 'a', operator: 'In', values: ['b'] },
    { key: 'c', operator: 'NotIn', values: ['d'] },
  ]);
  expect(selectors.labels.map(({ key, operator, values }) => [key, operator, values.join()])).toEqual([
    ['k', 'In', 'v'],
    ['l', 'In', 'x,y'],
    ['m', 'NotIn', 'z'],
    ['n', 'Exists', ''],
    ['o', 'DoesNotExist', ''],
    ['p', 'NotIn', 'q'],
  ]);
  expect(selectors.partial).toEqual([]);
});

test('what cannot be read narrows nothing, and is told', () => {
  const texts = new RequestSelectors('a', 'a in');
  expect([texts.fields, texts.labels]).toEqual([[], []]);
  expect(texts.partial).toEqual([
    { name: 'fieldSelector', isEmpty: true },
    { name: 'labelSelector', isEmpty: true },
  ]);
  const some = new RequestSelectors(
    [
      { key: 'a', operator: 'In', values: ['b'] },
      { key: 'a', operator: 'In', values: ['b', 'c'] },
      { key: 'a', operator: 'Exists', values: [] },
    ],
    [{ key: 'a', operator: 'Later', values: [] }],
  );
  expect([some.fields.length, some.labels.length]).toEqual([1, 0]);
  expect(some.partial).toEqual([
    { name: 'fieldSelector', isEmpty: false },
    { name: 'labelSelector', isEmpty: true },
  ]);
});

test('what was read is kept no longer than it is needed, and read again', () => {
  const selectors = new RequestSelectors('a=b', 'k=v');
  const { fields, labels } = selectors;
  expect(selectors.labels).toBe(labels);
  selectors.forgetRead();
  expect([selectors.fields, selectors.labels]).toEqual([fields, labels]);
  expect([selectors.fields === fields, selectors.labels === labels]).toEqual([false, false]);
});
