/**
 * Ends HTTP/2 connections now and then. Clients keep such a connection for as long as it works, so that behind a load
 * balancer all of them may stay with the replica that started first (KEP of Kubernetes 1.18, `--goaway-chance`).
 */
import type { Step } from './step.ts';

/** @param chance that a request ends its connection, from 0 to 1 */
export function withGoaway(chance: number): Step {
  return function goaway(context): void {
    const { random } = context.phase;
    if (context.req.httpVersionMajor === 2 && random.number() < chance) context.closesConnection = true;
  };
}
