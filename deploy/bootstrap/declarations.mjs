/** Parses the .proto files of a build once, so that no start has to. Run by the pinned Node, with the folder of the build. */
import { join, resolve } from 'node:path';

const output = resolve(process.argv[2]);
const { writeDeclarations } = await import(join(output, 'schema/declarations.js'));
writeDeclarations(join(output, 'api'));
