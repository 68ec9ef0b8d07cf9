import { framed as framedPiece } from '../../../src/storage/etcd/grpc-message.ts';
import { bufferOf } from '../../../src/storage/etcd/http2/piece.ts';

/** A message as gRPC sends it. */
export const framed = (message: Buffer): Buffer => bufferOf(framedPiece(message));
