/**
 * Which tolerations include others. A pod may have thousands of them, so they are looked up by what they are about: the
 * time is linear in their number.
 */
import type { Toleration } from '../api/core/v1.types.ts';
import { toNumber } from '../api/validation/rules.ts';

/** The longest time of all tolerations about the same, and of those that differ from that one. */
interface Longest {
  readonly id: string;
  readonly seconds: number;
  readonly other?: { readonly seconds: number };
}

export class TolerationSet {
  private readonly ids = new Set<string>();
  private readonly longest = new Map<string, Longest>();

  constructor(tolerations: readonly Toleration[] = []) {
    for (const toleration of tolerations) this.add(toleration);
  }

  add(toleration: Toleration): void {
    const id = idOf(toleration);
    if (this.ids.has(id)) return;
    this.ids.add(id);
    const about = aboutOf(toleration);
    if (about === undefined) return;
    const seconds = limitOf(toleration);
    const best = this.longest.get(about);
    if (!best) this.longest.set(about, { id, seconds });
    else if (seconds > best.seconds) this.longest.set(about, { id, seconds, other: best });
    else if (seconds > (best.other?.seconds ?? -Infinity))
      this.longest.set(about, { ...best, other: { seconds } });
  }

  /** True when it has an equal one, or one that tolerates more. */
  includes(toleration: Toleration): boolean {
    return this.ids.has(idOf(toleration)) || this.includesOther(toleration);
  }

  /** True when it has another one that tolerates at least as much. */
  includesOther(toleration: Toleration): boolean {
    const id = idOf(toleration);
    const seconds = secondsOf(toleration);
    return includingKinds(toleration).some((about) => {
      const best = this.longest.get(about);
      const other = best?.id === id ? best.other : best;
      return other !== undefined && other.seconds >= seconds;
    });
  }
}

/** Without those that another one includes; of equal ones the first stays. */
export function mergeTolerations(all: readonly Toleration[]): Toleration[] {
  const later = new TolerationSet();
  const standing = all.toReversed().filter((toleration) => {
    const isIncluded = later.includesOther(toleration);
    later.add(toleration);
    return !isIncluded;
  });
  const kept = new TolerationSet();
  return standing.toReversed().filter((toleration) => {
    const isIncluded = kept.includes(toleration);
    kept.add(toleration);
    return !isIncluded;
  });
}

function secondsOf({ tolerationSeconds }: Toleration): number {
  return tolerationSeconds == null ? Infinity : toNumber(tolerationSeconds);
}

/** Seconds count for NoExecute only. */
function limitOf(toleration: Toleration): number {
  return toleration.effect === 'NoExecute' ? secondsOf(toleration) : Infinity;
}

function idOf(toleration: Toleration): string {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  return JSON.stringify([key, operator, value, effect, String(secondsOf(toleration))]);
}

function kind(key: string, effect: string, match: string): string {
  return JSON.stringify([key, effect, match]);
}

const exists = 'Exists';

/** What it tolerates but for the time; undefined for an unknown operator. */
function aboutOf({ key = '', operator = '', value = '', effect = '' }: Toleration): string | undefined {
  if (operator === exists) return kind(key, effect, exists);
  return operator === 'Equal' || operator === '' ? kind(key, effect, `=${value}`) : undefined;
}

/** What tolerations are about that include it. An empty key with Exists, or an empty effect, stands for all. */
function includingKinds({ key = '', operator = '', value = '', effect = '' }: Toleration): string[] {
  return [...new Set([effect, ''])].flatMap((wanted) => [
    kind(key, wanted, exists),
    kind('', wanted, exists),
    ...(operator === 'Equal' ? [kind(key, wanted, `=${value}`)] : []),
  ]);
}
