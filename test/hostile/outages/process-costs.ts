import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { eventLoopPauses } from '../../../bench/processes/event-loop.ts';
import type { NodeProcess } from '../../kit/node-processes.ts';

/** The cost of one request to a node in its own process. */
export interface ProcessCost {
  /** Milliseconds of processor time of the thread that serves. */
  readonly mainMs: number;
  /** The longest pause of its event loop, in milliseconds of the clock on the wall. */
  readonly loopMs: number;
  /** The growth of resident memory at its peak, in mebibytes. */
  readonly memoryMb: number;
}

/** Returns whether the system reports the costs of a process. */
export const reportsCosts = (): boolean => existsSync('/proc/self/schedstat') && existsSync('/proc/self/clear_refs');

/** Measures the work on the node. Sends nothing else meanwhile. */
export const costOn = async (node: NodeProcess, work: () => Promise<unknown>): Promise<ProcessCost> => {
  const place = `/proc/${node.child.pid}`;
  const status = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`${place}/status`, 'utf8'))?.[1] ?? 0);
  const mainMs = (): number => Number(readFileSync(`${place}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  // Sets the peak to the present size, and the longest pause to zero.
  writeFileSync(`${place}/clear_refs`, '5');
  await eventLoopPauses(node);
  const [memory, begun] = [status('VmRSS'), mainMs()];
  await work();
  const [ended, peak] = [mainMs(), status('VmHWM')];
  const { maxMs: loopMs } = await eventLoopPauses(node);
  return { mainMs: ended - begun, loopMs, memoryMb: (peak - memory) / 1024 };
};
