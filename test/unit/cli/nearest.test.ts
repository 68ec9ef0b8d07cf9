import { serveFlags } from '../../../src/options/serve-flags.ts';
import { nearest } from '../../../src/cli/nearest.ts';

const names = serveFlags.map((flag) => flag.name);

test.each([
  ['secure-prot', 'secure-port'],
  ['etcd-server', 'etcd-servers'],
  ['tls-certfile', 'tls-cert-file'],
  ['anonymousauth', 'anonymous-auth'],
])('%s is most like %s', (word, want) => {
  expect(nearest(word, names)).toBe(want);
});

test('a word that is like none has no neighbour', () => {
  expect(nearest('colour', names)).toBeUndefined();
});
