/** Requests that impersonate a user of many groups. */
import { withImpersonation } from '../../../src/http/filters/impersonation.ts';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { cpuBudget, cpuMsOf } from '../../support/cpu-time.ts';

/** A context of a request with these headers. */
function contextOf(rawHeaders: readonly string[]): RequestContext {
  const headers = Object.fromEntries(rawHeaders.map((name) => [name.toLowerCase(), 'x']));
  const user = { name: 'admin', uid: '', groups: [], extra: {} };
  return { req: { headers, rawHeaders }, user, info: { path: '/' } } as unknown as RequestContext;
}

test('groups by the ten thousand are checked one by one, in time that grows with their number', () => {
  const asked: string[] = [];
  const step = withImpersonation(
    {
      authorize: ({ info }) => {
        asked.push(info.name);
        return { decision: 'allow', reason: '' };
      },
    },
    'authentication',
  );
  const groups = Array.from({ length: 30_000 }, (_, i) => ['Impersonate-Group', `g${String(i)}`]).flat();
  const context = contextOf(['Impersonate-User', 'bob', ...groups]);
  const took = cpuMsOf(() => void step(context));
  expect(context.user.groups.length).toBe(30_001);
  expect(asked.length).toBe(30_001);
  expect(took).toBeLessThan(cpuBudget(300));
});
