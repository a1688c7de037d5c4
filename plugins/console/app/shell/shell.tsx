import { Loading } from '../kit/state.tsx';

/** The empty frame, until the node has said who the reader is. The frame itself takes its place without a jump. */
export const Shell = () => (
  <div class="frame" data-open={false}>
    <header class="top shell-top" />
    <main id="content">
      <Loading />
    </main>
  </div>
);
