/** Makes the objects once that control planes for tests begin with. Run by the pinned Node, with the folder of the build. */
import { join, resolve } from 'node:path';

const output = resolve(process.argv[2]);
const { writeBeginning } = await import(join(output, 'testing/host/write-beginning.js'));
await writeBeginning();
