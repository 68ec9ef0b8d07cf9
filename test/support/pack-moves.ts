import { laterTurn } from '../../src/base/cooperate.ts';
import { packMoves } from '../../src/codec/pack.ts';

/** Resolves when texts of packs that were to move have moved. */
export async function packsMoved(): Promise<void> {
  while (packMoves.waiting > 0) await laterTurn();
}
