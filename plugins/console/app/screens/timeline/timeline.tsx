import { useState } from 'preact/hooks';
import { Button } from '../../kit/button.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { useSession } from '../../session/session.ts';
import { DayTallies } from './day-tallies.tsx';
import { MomentDifference } from './moment-difference.tsx';

/** The whole memory over time: the facts of each day and agent, and the difference between two moments. */
export const Timeline = () => {
  const { texts } = useSession();
  const [round, setRound] = useState(0);
  return (
    <>
      <ScreenHead title={texts.screens.timeline}>
        <Button text={texts.overview.refresh} onClick={() => setRound(round + 1)} />
      </ScreenHead>
      <p class="lead">{texts.timeline.lead}</p>
      <MomentDifference round={round} />
      <DayTallies round={round} />
    </>
  );
};
