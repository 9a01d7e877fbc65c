/** The report of a soak, as JSON and as lines. Used by main.ts. */
import type { Finding, Run } from '../chaos/support/run.ts';
import { goalsOf, type Goal } from './goals.ts';
import type { SoakPlan } from './plan.ts';
import { judgeScene, openScene, play, type Judged, type Played, type SoakScene } from './soak.ts';
import { measureStorage, type Storage } from './storage.ts';

export interface SoakReport extends Omit<Played, 'bulks'>, Judged {
  readonly plan: SoakPlan;
  readonly storage: Storage;
  readonly finding: Finding;
  readonly goals: readonly Goal[];
}

/** Measures what is left when all is judged, and returns the report. */
export const finishReport = async (
  run: Run,
  { plan, site }: SoakScene,
  { traffic, growth, archive }: Played,
  judged: Judged,
): Promise<SoakReport> => {
  const storage = await measureStorage(site);
  const finding = run.finding();
  const goals = goalsOf({ traffic, growth }, storage, finding.problems);
  return { plan, traffic, growth, archive, ...judged, storage, finding, goals };
};

/** Runs a whole soak. */
export const soak = async (run: Run, plan: SoakPlan): Promise<SoakReport> => {
  const scene = await openScene(run, plan);
  try {
    const played = await play(run, scene);
    const judged = await judgeScene(run, scene, played);
    return await finishReport(run, scene, played, judged);
  } finally {
    await scene.close();
  }
};

export const goalLines = (goals: readonly Goal[]): string[] =>
  goals.map(({ name, goal, reached, verdict }) => `${verdict.toUpperCase()}: ${name}: ${reached}; ${goal}`);
