import type { Progress } from '../../kernel/command-api.ts';

/** Shows the progress of work whose parts and totals are unknown at the start. */
export interface WorkShown {
  /** Another `unit` is another part of the work. */
  update(done: number, total: number | null, unit?: string): void;
  end(): void;
}

export const showWork = (show: (total: number | null, unit?: string) => Progress, usual: string): WorkShown => {
  let shown: { readonly unit: string; readonly progress: Progress } | undefined;
  return {
    update(done, total, unit = usual) {
      if (shown?.unit !== unit) {
        shown?.progress.end();
        shown = { unit, progress: show(total, unit) };
      }
      if (total !== null) shown.progress.resize(total);
      shown.progress.update(done);
    },
    end: () => shown?.progress.end(),
  };
};
