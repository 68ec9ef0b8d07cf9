/**
 * Which of the plugins' parts (webhooks, policies) run again in the second mutating phase of a write: those with
 * `reinvocationPolicy: IfNeeded` that ran before something changed the object.
 */
import { asJson } from '../meta/object.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import type { ReinvocationContext } from './admission-chain.ts';

/** Of one plugin and one write, in one phase and its repetition. */
export class Reinvocable {
  /** Parts that ran, and may run again. */
  private readonly ran = new Set<string>();
  /** There was a change behind them. */
  private readonly due = new Set<string>();
  private lastObject: string | undefined;

  /** Before the parts of a phase: built-in plugins that changed something in between count as well. */
  begin(attributes: AdmissionAttributes, { isReinvocation }: ReinvocationContext): void {
    if (isReinvocation && this.ran.size > 0 && this.lastObject !== textOf(attributes)) this.schedule();
  }

  /** Whether a part runs in this phase. */
  isDue(key: string, { isReinvocation }: ReinvocationContext): boolean {
    return !isReinvocation || this.due.delete(key);
  }

  /** A part has changed the object. */
  noteChange(reinvocation: ReinvocationContext): void {
    this.schedule();
    reinvocation.requestReinvocation();
  }

  /** A part with `IfNeeded` ran. */
  noteRun(key: string): void {
    this.ran.add(key);
  }

  /** After the parts of a phase. */
  end(attributes: AdmissionAttributes): void {
    if (this.ran.size > 0) this.lastObject = textOf(attributes);
  }

  private schedule(): void {
    for (const key of this.ran) this.due.add(key);
    this.ran.clear();
  }
}

function textOf({ object }: AdmissionAttributes): string {
  return object ? JSON.stringify(asJson(object)) : '';
}
