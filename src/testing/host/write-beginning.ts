/** Makes what control planes without options begin with, for a build: a first start takes a sixth less processor time. */
import { flagsOf } from '../options.ts';
import { authorities } from './authorities.ts';
import { builtBeginning } from './built-beginning.ts';
import { newGround } from './ground.ts';
import { HostedPlane } from './hosted-plane.ts';
import type { StartOrder } from './protocol.ts';
import { beginnings } from './shared.ts';

/** Starts one and writes what is common to all of them. */
export async function writeBeginning(): Promise<void> {
  const { ca, server, tokenKey } = await authorities();
  const order: StartOrder = {
    ...{ engine: { kind: 'memory' }, flags: flagsOf({}), tokens: [] },
    pki: { ca: ca.certificate, server, tokenKey },
    ...{ hasVirtualClock: false, printsLog: false },
  };
  const plane = await HostedPlane.start(order, await newGround(order));
  await plane.stop();
  beginnings.write(builtBeginning);
}
