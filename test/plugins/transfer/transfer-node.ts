import { TenantTransfer } from '../../../plugins/transfer/transfer-api.ts';
import { DEFAULT_TENANT } from '../../../ports/ports.ts';
import type { TestNode } from '../../kit/start-test-node.ts';

/** Returns all lines of an export, the header first. */
export const exportLines = async ({ kernel }: TestNode): Promise<string[]> => {
  const lines: string[] = [];
  await kernel.get(TenantTransfer).export(DEFAULT_TENANT, async (more) => {
    lines.push(...more.map((line) => line.trimEnd()));
  });
  return lines;
};

/** Returns the lines that do not depend on the exporting store: all except the header. */
export const contentOf = async (node: TestNode): Promise<string[]> => (await exportLines(node)).slice(1);

export interface Imported {
  readonly stored: number;
  readonly refused: readonly { readonly number: number; readonly reason: string }[];
}

export const importAll = async (
  { kernel }: TestNode,
  [header = '', ...lines]: readonly string[],
  perBatch = 7,
): Promise<Imported> => {
  const target = await kernel.get(TenantTransfer).openImport(header);
  const numbered = lines.map((text, at) => ({ text, number: at + 2 }));
  let stored = 0;
  const refused: Imported['refused'][number][] = [];
  for (let from = 0; from < numbered.length; from += perBatch) {
    const taken = await target.take(numbered.slice(from, from + perBatch));
    stored += taken.stored;
    refused.push(...taken.refused);
  }
  return { stored, refused };
};
