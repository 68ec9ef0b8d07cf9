/** A program whose call to the thread of control planes has an argument that no thread can be sent. Prints the refusal. */
import { HostThread } from '../../../../src/testing/host-thread.ts';

const aFunction = (): void => undefined;
await HostThread.shared()
  .call('authorities', aFunction as never)
  .catch((error: unknown) => {
    console.log(String(error));
  });
