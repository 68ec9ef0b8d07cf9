/** Whatever is sent, refusals stay short: no body comes back, least of all many times over. */
import { waitFor } from '../../support/wait-for.ts';
import { definitions, longAsks, longDefinition, things } from './support/long-bodies.ts';
import { startPatient, type Patient } from './support/patient.ts';

/** Message and causes have 32,768 characters each; a quotation mark takes four more where it is quoted twice. */
const longest = 80_000;

let patient: Patient;

beforeAll(async () => {
  patient = await startPatient();
  const { admin } = patient.replica;
  await admin.ok('POST', definitions, longDefinition);
  await waitFor('the custom resource', async () => (await admin.get(things)).status === 200);
});
afterEach(() => patient.checkUp());
afterAll(() => patient[Symbol.asyncDispose]());

test.each(longAsks)(
  '$name',
  async ({ method = 'POST', path, body, type = 'application/json', headers = {} }) => {
    const sent = { ...(body !== undefined && { 'content-type': type }), ...headers };
    const answer = await patient.replica.admin.request(method, path, body, sent);
    expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', code: answer.status });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect([413, 500]).not.toContain(answer.status);
    expect(answer.body.length).toBeLessThan(longest);
    expect(patient.replica.logs().length).toBeLessThan(longest);
  },
);
