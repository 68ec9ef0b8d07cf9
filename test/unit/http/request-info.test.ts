import type { RequestInfo } from '../../../src/meta/request-info.ts';
import { Query } from '../../../src/http/query.ts';
import {
  decodePath,
  isOriginPath,
  originForm,
  parseRequestInfo,
} from '../../../src/http/request-info-resolver.ts';

type Expected = Partial<RequestInfo>;

function parse(method: string, target: string): RequestInfo {
  const [path = '', query = ''] = target.split('?');
  return parseRequestInfo(method, decodePath(path) ?? 'malformed', new Query(query));
}

const core: Expected = { isResourceRequest: true, apiPrefix: 'api', apiGroup: '', apiVersion: 'v1' };
const apps: Expected = { isResourceRequest: true, apiPrefix: 'apis', apiGroup: 'apps', apiVersion: 'v1' };

const cases: readonly [method: string, target: string, expected: Expected][] = [
  // Collections and objects of each scope.
  ['constructor', '/api/v1/nodes', { ...core, verb: '', resource: 'nodes' }],
  ['GET', '/api/v1/nodes', { ...core, verb: 'list', resource: 'nodes', namespace: '', name: '' }],
  ['GET', '/api/v1/nodes/n1', { ...core, verb: 'get', resource: 'nodes', name: 'n1' }],
  ['GET', '/api/v1/nodes/n1/status', { ...core, verb: 'get', name: 'n1', subresource: 'status' }],
  ['GET', '/api/v1/pods', { ...core, verb: 'list', resource: 'pods', namespace: '' }],
  ['GET', '/api/v1/namespaces/x/pods', { ...core, verb: 'list', resource: 'pods', namespace: 'x', name: '' }],
  [
    'GET',
    '/api/v1/namespaces/x/pods/p',
    { ...core, verb: 'get', namespace: 'x', name: 'p', subresource: '' },
  ],
  [
    'PUT',
    '/api/v1/namespaces/x/pods/p/status',
    { ...core, verb: 'update', name: 'p', subresource: 'status' },
  ],
  ['POST', '/api/v1/namespaces/x/pods', { ...core, verb: 'create', namespace: 'x', name: '' }],
  [
    'POST',
    '/api/v1/namespaces/x/pods/p/binding',
    { ...core, verb: 'create', name: 'p', subresource: 'binding' },
  ],
  ['PATCH', '/api/v1/namespaces/x/pods/p', { ...core, verb: 'patch', name: 'p' }],
  ['DELETE', '/api/v1/namespaces/x/pods/p', { ...core, verb: 'delete', name: 'p' }],
  ['DELETE', '/api/v1/namespaces/x/pods', { ...core, verb: 'deletecollection', namespace: 'x' }],
  ['HEAD', '/api/v1/namespaces/x/pods/p', { ...core, verb: 'get' }],
  ['OPTIONS', '/api/v1/namespaces/x/pods/p', { ...core, verb: '' }],
  ['GET', '/apis/apps/v1/deployments', { ...apps, verb: 'list', resource: 'deployments', namespace: '' }],
  ['GET', '/apis/apps/v1/namespaces/x/deployments/d', { ...apps, verb: 'get', namespace: 'x', name: 'd' }],
  ['GET', '/apis/apps/v1/namespaces/x/deployments/d/scale', { ...apps, name: 'd', subresource: 'scale' }],
  // Namespaces are resources themselves.
  ['GET', '/api/v1/namespaces', { ...core, verb: 'list', resource: 'namespaces', namespace: '', name: '' }],
  ['POST', '/api/v1/namespaces', { ...core, verb: 'create', resource: 'namespaces', namespace: '' }],
  [
    'GET',
    '/api/v1/namespaces/x',
    { ...core, verb: 'get', resource: 'namespaces', namespace: 'x', name: 'x' },
  ],
  ['DELETE', '/api/v1/namespaces/x', { ...core, verb: 'delete', resource: 'namespaces', name: 'x' }],
  [
    'PUT',
    '/api/v1/namespaces/x/status',
    { ...core, resource: 'namespaces', name: 'x', subresource: 'status' },
  ],
  [
    'PUT',
    '/api/v1/namespaces/x/finalize',
    { ...core, verb: 'update', resource: 'namespaces', namespace: 'x', name: 'x', subresource: 'finalize' },
  ],
  // A resource may be called like a verb word or a namespace subresource.
  [
    'GET',
    '/api/v1/namespaces/x/finalize/y',
    { ...core, resource: 'namespaces', name: 'x', subresource: 'finalize' },
  ],
  [
    'GET',
    '/api/v1/namespaces/x/services/watch',
    { ...core, verb: 'get', resource: 'services', name: 'watch' },
  ],
  // Watches, in both forms.
  ['GET', '/api/v1/pods?watch=1', { ...core, verb: 'watch', resource: 'pods' }],
  ['GET', '/api/v1/pods?watch', { ...core, verb: 'watch' }],
  ['GET', '/api/v1/pods?watch=abc', { ...core, verb: 'watch' }],
  ['GET', '/api/v1/pods?watch=0', { ...core, verb: 'list' }],
  ['GET', '/api/v1/pods?watch=false', { ...core, verb: 'list' }],
  ['GET', '/api/v1/pods?watch=False', { ...core, verb: 'list' }],
  ['GET', '/api/v1/namespaces/x/pods/p?watch=1', { ...core, verb: 'get', name: 'p' }],
  ['GET', '/api/v1/watch/pods', { ...core, verb: 'watch', resource: 'pods', namespace: '', name: '' }],
  ['GET', '/api/v1/watch/namespaces', { ...core, verb: 'watch', resource: 'namespaces', name: '' }],
  ['GET', '/api/v1/watch/namespaces/x', { ...core, verb: 'watch', resource: 'namespaces', name: 'x' }],
  ['GET', '/api/v1/watch/namespaces/x/pods', { ...core, verb: 'watch', resource: 'pods', namespace: 'x' }],
  ['GET', '/api/v1/watch/namespaces/x/pods/p', { ...core, verb: 'watch', namespace: 'x', name: 'p' }],
  ['GET', '/apis/apps/v1/watch/deployments', { ...apps, verb: 'watch', resource: 'deployments' }],
  [
    'GET',
    '/apis/apps/v1/watch/namespaces/x/deployments/d',
    { ...apps, verb: 'watch', namespace: 'x', name: 'd' },
  ],
  // Proxies.
  ['GET', '/api/v1/proxy/nodes/n', { ...core, verb: 'proxy', resource: 'nodes', name: 'n' }],
  ['GET', '/api/v1/proxy/namespaces/x/pods/p/a/b', { ...core, verb: 'proxy', name: 'p', subresource: '' }],
  [
    'GET',
    '/api/v1/namespaces/x/pods/p/proxy/a/b',
    { ...core, verb: 'get', subresource: 'proxy', parts: ['pods', 'p', 'proxy', 'a', 'b'] },
  ],
  // A selector of one name is authorized like the object.
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dp', { verb: 'list', name: 'p', parts: ['pods'] }],
  ['GET', '/api/v1/pods?watch=1&fieldSelector=metadata.name=p,spec.nodeName=n', { verb: 'watch', name: 'p' }],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name!=p', { verb: 'list', name: '' }],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name=a/b', { verb: 'list', name: '' }],
  ['DELETE', '/api/v1/pods?fieldSelector=metadata.name=p', { verb: 'deletecollection', name: 'p' }],
  // Escapes are decoded once, before the path is split.
  ['GET', '/api/v1/namespaces/x/pods/a%20b', { verb: 'get', name: 'a b' }],
  ['GET', '/api/v1/namespaces/x/pods/a%2Fb', { verb: 'get', name: 'a', subresource: 'b' }],
  ['GET', '/api/v1/namespaces/x/pods/a%252Fb', { verb: 'get', name: 'a%2Fb', subresource: '' }],
  ['GET', '/api/v1/namespaces/x/pods/system:a', { verb: 'get', name: 'system:a' }],
  // Slashes around do not matter, inside they do.
  ['GET', '//api/v1/pods/', { ...core, verb: 'list', resource: 'pods' }],
  ['GET', '/api/v1//pods', { ...core, resource: '', name: 'pods' }],
  ['GET', '/api/v1/namespaces//pods', { ...core, resource: 'pods', namespace: '' }],
  // Not resources.
  ...[
    '/',
    '',
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/healthz',
  ].map((path): [string, string, Expected] => ['GET', path, { isResourceRequest: false, verb: 'get', path }]),
  ['GET', '/api/v1/watch', { isResourceRequest: false }],
  ['GET', '/apis/apps/v1/proxy', { isResourceRequest: false }],
  ['POST', '/openapi/v2', { isResourceRequest: false, verb: 'post', resource: '' }],
  ['GET', '/apix/v1/pods', { isResourceRequest: false }],
];

describe('request info', () => {
  test.each(cases)('%s %s', (method, target, expected) => {
    expect(parse(method, target)).toMatchObject(expected);
  });

  test('a malformed escape has no path', () => {
    expect(decodePath('/api/v1/pods/%zz')).toBeUndefined();
    expect(decodePath('/api/v1/pods/%ff')).toBeUndefined();
  });
});

describe('request target', () => {
  test.each([
    ['/api?x=1', '/api?x=1'],
    ['https://host:1/api/v1?x=1', '/api/v1?x=1'],
    ['HTTP://host?x', '/?x'],
    ['https://host', '/'],
    ['//host/api', '//host/api'],
    ['*', '*'],
    ['ftp://host/api', 'ftp://host/api'],
  ])('%s in origin form is %s', (target, expected) => {
    expect(originForm(target)).toBe(expected);
  });

  test.each([
    ['/api', true],
    ['*', false],
    ['ftp://host/api', false],
    ['/metrics#/healthz', false],
  ])('%s is a path: %s', (path, expected) => {
    expect(isOriginPath(path)).toBe(expected);
  });
});

describe('query', () => {
  test.each([
    ['a=1&b=%2B', false],
    ['a=%zz', true],
    ['a=%ff', true],
    ['%=1', true],
    ['a=1&b=%', true],
  ])('%s is malformed: %s', (text, malformed) => {
    expect(new Query(text).isMalformed()).toBe(malformed);
  });

  test('first value, plus as space, malformed pairs left out', () => {
    const query = new Query('a=1&a=2&b=x+y%2B&c=%zz&d&&=e&__proto__=p');
    expect(query.get('a')).toBe('1');
    expect(query.all('a')).toEqual(['1', '2']);
    expect(query.get('b')).toBe('x y+');
    expect(query.has('c')).toBe(false);
    expect(query.has('d')).toBe(true);
    expect(query.flag('d')).toBe(true);
    expect(query.get('__proto__')).toBe('p');
    expect(query.get('toString')).toBe('');
    expect(query.optionalFlag('x')).toBeUndefined();
  });
});
