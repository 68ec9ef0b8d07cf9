import { X509Certificate } from 'node:crypto';
import { SessionChains, type SessionLimits } from '../../../src/http/session-chains.ts';
import { makeAuthority, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { readCertificates } from '../../../src/authn/certificate-chain.ts';

let temporary: TempFolder;
let root: TestAuthority;
let now = 0;
const clock = { now: () => 0, monotonic: () => now };

beforeAll(async () => {
  temporary = await makeTempFolder('session-chains');
  root = await makeAuthority(temporary.path);
});
afterAll(() => temporary.remove());
beforeEach(() => (now = 0));

async function chainBehind(intermediate: string, commonName: string): Promise<readonly X509Certificate[]> {
  const { cert } = await (await root.intermediate(intermediate)).client({ commonName });
  return readCertificates(cert);
}

function keeper(limits: Partial<SessionLimits> = {}): { chains: SessionChains; keys: string[] } {
  const keys: string[] = [];
  const setTicketKeys = (bytes: Buffer): void => void keys.push(bytes.toString('hex'));
  const usual = { maxClients: 100, maxIntermediates: 100, maxAgeMs: 1_000 };
  return { chains: new SessionChains({ setTicketKeys, clock, limits: { ...usual, ...limits } }), keys };
}

test('what a full handshake showed completes the resumed ones; a client without intermediates needs nothing', async () => {
  const { chains } = keeper();
  const [ann, bob] = [await chainBehind('a', 'ann'), await chainBehind('b', 'bob')];
  expect(chains.complete(ann)).toEqual(ann);
  expect(chains.complete(ann.slice(0, 1))).toEqual(ann);
  expect(chains.complete(bob.slice(0, 1))).toEqual(bob.slice(0, 1));
});

test.each([{ maxClients: 2 }, { maxIntermediates: 2 }])(
  'a memory that is full (%j) is given up together with the ticket keys',
  async (limits) => {
    const { chains, keys } = keeper(limits);
    const [ann, bob, cid] = await Promise.all(['a', 'b', 'c'].map((name) => chainBehind(name, name)));
    for (const chain of [ann, bob, cid]) chains.complete(chain ?? []);
    expect(new Set(keys).size).toBe(2);
    // A handshake that had begun before still finds its chain, and its new ticket, too.
    expect(chains.complete(ann?.slice(0, 1) ?? [])).toEqual(ann);
    expect(chains.complete(bob?.slice(0, 1) ?? [])).toEqual(bob);
    expect(new Set(keys).size).toBe(3);
    chains.renew();
    chains.renew();
    expect(chains.complete(ann?.slice(0, 1) ?? [])).toHaveLength(1);
  },
);

test('ticket keys grow old with what is kept', async () => {
  const { chains, keys } = keeper();
  const ann = await chainBehind('a', 'ann');
  chains.complete(ann);
  now = 1_001;
  chains.complete(ann.slice(0, 1));
  expect(keys).toHaveLength(2);
});
