/** Long expressions of many requests that come in one turn of the event loop do not follow each other in it. */
import { identityByRules } from '../../../src/authn/oidc/mapped-identity.ts';
import { reviewEnvironment, reviewValues } from '../../../src/cel/access/environments.ts';
import { EvaluationBudget, matchConditionsCost } from '../../../src/cel/admission/evaluation-budget.ts';
import { EvaluationTurns } from '../../../src/cel/evaluation-turns.ts';
import { MatchConditions } from '../../../src/cel/admission/match-conditions.ts';
import { cpuBudget, leastOfThree } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';

const minor = 36;
/** An expression over them takes some milliseconds. */
const groups = Array.from({ length: 200 }, (_, i) => `group-${String(i)}`);
const many = Array.from({ length: 40 });

async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const turns = await turnsOf(() => Promise.all(many.map(work)));
  return turns[0] ?? Infinity;
}

test('match conditions', async () => {
  const conditions = new MatchConditions(
    [{ expression: 'request.groups.all(g, request.groups.exists(x, x == g))' }],
    reviewEnvironment(minor),
  );
  const match = (): Promise<unknown> =>
    conditions.match({
      values: reviewValues(minor, { groups }),
      budget: new EvaluationBudget(matchConditionsCost),
      turns: new EvaluationTurns(),
    });
  await match();
  expect(await leastOfThree(() => longestTurn(match))).toBeLessThan(cpuBudget(25));
});

test('expressions over the claims of tokens', async () => {
  const identify = identityByRules(
    {
      ...{ issuer: 'https://a.test', discoveryUrl: '', ca: '', audiences: ['app'] },
      claimRules: [
        { expression: 'claims.groups.all(g, claims.groups.exists(x, x == g))', message: '' },
        { expression: 'claims.groups.all(g, claims.groups.exists(x, g == x))', message: '' },
      ],
      ...{ username: { claim: 'sub', prefix: '' }, groups: undefined, uid: undefined },
      ...{ extra: [], userRules: [] },
    },
    minor,
  );
  const map = async (): Promise<unknown> => identify({ aud: 'app', sub: 'ann', groups });
  await map();
  expect(await leastOfThree(() => longestTurn(map))).toBeLessThan(cpuBudget(25));
});
