import type { X509Certificate } from 'node:crypto';
import { ChainVerifier, readCertificates } from '../../../src/authn/certificate-chain.ts';
import { makeAuthority, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let temporary: TempFolder;
let root: TestAuthority;
let other: TestAuthority;

beforeAll(async () => {
  temporary = await makeTempFolder('certificate-chain');
  root = await makeAuthority(temporary.path, 'root');
  other = await makeAuthority(`${temporary.path}/other`, 'root');
});
afterAll(() => temporary.remove());

const chainOf = async (issuer: TestAuthority): Promise<readonly X509Certificate[]> =>
  readCertificates((await issuer.client({ commonName: 'ann' })).cert);
const verifierOf = (...authorities: TestAuthority[]): ChainVerifier => {
  const certificates = authorities.flatMap(({ ca }) => readCertificates(ca));
  return new ChainVerifier(() => certificates);
};

test('a bundle is read once while its text is the same', () => {
  const certificates = readCertificates(root.ca);
  expect(readCertificates(root.ca)).toBe(certificates);
  expect(readCertificates(other.ca)[0]?.fingerprint256).not.toBe(certificates[0]?.fingerprint256);
  expect(readCertificates('')).toEqual([]);
});

test('directly, by way of intermediates, and with the root behind them', async () => {
  const lower = await (await root.intermediate('middle')).intermediate('lower');
  const chain = await chainOf(lower);
  const verifier = verifierOf(other, root);
  expect(chain).toHaveLength(3);
  expect(verifier.isIssued(await chainOf(root), Date.now())).toBe(true);
  expect(verifier.isIssued(chain, Date.now())).toBe(true);
  expect(verifier.isIssued([...chain, ...readCertificates(root.ca)], Date.now())).toBe(true);
});

test('not without an intermediate, not from another authority of the same name, not from none', async () => {
  const chain = await chainOf(await root.intermediate('middle'));
  expect(verifierOf(root).isIssued(chain.slice(0, 1), Date.now())).toBe(false);
  expect(verifierOf(other).isIssued(chain, Date.now())).toBe(false);
  expect(verifierOf().isIssued(chain, Date.now())).toBe(false);
  expect(verifierOf(root).isIssued([], Date.now())).toBe(false);
});

test('a client is no authority, whatever it signs', async () => {
  const [leaf] = await chainOf(root);
  const signedByLeaf = await chainOf(other);
  expect(verifierOf(root).isIssued([...signedByLeaf, ...(leaf ? [leaf] : [])], Date.now())).toBe(false);
});

test('an intermediate that has expired meanwhile counts no more, on the same connection either', async () => {
  const chain = await chainOf(await root.intermediate('short', hourMs));
  const verifier = verifierOf(root);
  expect(verifier.isIssued(chain, Date.now())).toBe(true);
  expect(verifier.isIssued(chain, Date.now() + 2 * hourMs)).toBe(false);
  expect(verifier.isIssued([...chain], Date.now() + 2 * hourMs)).toBe(false);
});

test('an authority that has expired counts no more', async () => {
  const chain = await chainOf(root);
  const verifier = verifierOf(root);
  expect(verifier.isIssued(chain, Date.now())).toBe(true);
  expect(verifier.isIssued(chain, Date.now() + 31 * dayMs)).toBe(false);
});

test('authorities that change count at once, for connections that are open, too', async () => {
  const chain = await chainOf(await root.intermediate('middle'));
  let authorities = readCertificates(root.ca);
  const verifier = new ChainVerifier(() => authorities);
  expect(verifier.isIssued(chain, Date.now())).toBe(true);
  authorities = readCertificates(other.ca);
  expect(verifier.isIssued(chain, Date.now())).toBe(false);
  authorities = readCertificates(root.ca);
  expect(verifier.isIssued(chain, Date.now())).toBe(true);
});
