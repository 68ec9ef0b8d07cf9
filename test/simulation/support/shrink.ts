/** Makes a failing plan smaller while it still fails, for whoever has to understand it. */
import type { Plan } from './simulate.ts';

/** Most runs of a search. */
const mostRuns = 400;

/** The smallest plan found that still fails; the given one fails. */
export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let best = plan;
  let runs = 0;
  for (let isSmaller = true; isSmaller && runs < mostRuns;) {
    isSmaller = false;
    for (const smaller of smallerThan(best)) {
      runs += 1;
      if (runs > mostRuns) break;
      if (!(await fails(smaller))) continue;
      best = smaller;
      isSmaller = true;
      break;
    }
  }
  return best;
}

/** Plans with less in them; those that leave out most come first. */
function* smallerThan(plan: Plan): Iterable<Plan> {
  const { faults } = plan;
  for (let size = faults.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < faults.length; at += size) {
      yield { ...plan, faults: [...faults.slice(0, at), ...faults.slice(at + size)] };
    }
  }
  for (const name of ['operations', 'clients', 'watchers', 'keys', 'replicas', 'members'] as const) {
    const least = name === 'watchers' ? 0 : 1;
    for (const value of [Math.floor(plan[name] / 2), plan[name] - 1]) {
      if (value >= least && value < plan[name]) yield { ...plan, [name]: value };
    }
  }
  if (plan.compactionIntervalMs > 0) yield { ...plan, compactionIntervalMs: 0 };
}
