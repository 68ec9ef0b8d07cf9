/** What traces show of a path and its query: nothing that may be meant for another program. */
import { shownTarget } from '../../../src/http/filters/shown-target.ts';
import { Query } from '../../../src/http/query.ts';
import { parseRequestInfo } from '../../../src/http/request-info-resolver.ts';

function shown(path: string, text = ''): string {
  const query = new Query(text);
  return shownTarget(parseRequestInfo('GET', path, query), query).target;
}

const pod = '/api/v1/namespaces/web/pods/a';

test.each([
  [pod, '', pod],
  [`${pod}/log`, 'tailLines=5&container=c', `${pod}/log?tailLines=5&container=c`],
  [`${pod}/exec`, 'command=mysql&command=-psecret&stdin=true', `${pod}/exec?command=_&stdin=true`],
  [`${pod}/proxy/login/secret`, 'token=secret', `${pod}/proxy/_?token=_`],
  [`${pod}/proxy/secret/`, '', `${pod}/proxy/_`],
  ['/api/v1/proxy/nodes/n/secret', '', '/api/v1/proxy/nodes/n/_'],
  [
    '/apis/a.example/v1/things',
    'labelSelector=a%3Db&__proto__=secret',
    '/apis/a.example/v1/things?labelSelector=a%3Db&__proto__=_',
  ],
  ['/version', 'access_token=secret', '/version?access_token=_'],
])('%s with %s', (path, query, target) => {
  expect(shown(path, query)).toBe(target);
});

test('very many parameters and long paths are cut', () => {
  const many = Array.from({ length: 5_000 }, (_, i) => `p${String(i)}=1`).join('&');
  expect(shown(`/${'x'.repeat(60_000)}`, many).length).toBeLessThan(1_000);
});
