//! Runs one workgroup with its observers.

use super::observers::{Both, Checks, Counter, Fetching, Findings, Following, Nobody, Recorder, Requesting};
use super::workgroup::{Progress, Scene, Workgroup};

/// The observers of a workgroup.
pub(super) struct Watchers<'w, 's, 'f> {
    pub counter: Option<&'w mut Counter>,
    pub recorder: Option<&'w mut Recorder<'s>>,
    pub checks: Option<&'w mut Checks<'s>>,
    pub fetching: Option<&'w mut Fetching<'f>>,
    pub following: Option<&'w mut Following<'f>>,
    pub requesting: Option<&'w mut Requesting<'f>>,
}

/// Runs a workgroup until it ends, waits or has no fuel left; its observers see it.
pub(super) fn drive<const W: usize>(
    workgroup: &mut Workgroup<W>,
    scene: &Scene<'_>,
    watchers: Watchers<'_, '_, '_>,
    findings: &mut Findings,
    fuel: &mut u64,
) -> Progress {
    match watchers {
        Watchers { counter: None, recorder: None, checks: None, fetching: None, following: None, requesting: None } => {
            workgroup.run(scene, &mut Nobody, findings, fuel)
        }
        Watchers {
            counter: Some(counter),
            recorder: None,
            checks: None,
            fetching: None,
            following: None,
            requesting: None,
        } => workgroup.run(scene, counter, findings, fuel),
        Watchers {
            counter,
            recorder: None,
            checks: None,
            fetching: None,
            following: None,
            requesting: Some(requesting),
        } => {
            let mut spare = None;
            let counter = counter.unwrap_or_else(|| spare.insert(Counter::new(scene.code, W as u32)));
            let how = workgroup.run(scene, &mut Both(counter, requesting), findings, fuel);
            requesting.leave();
            how
        }
        Watchers { counter, mut recorder, mut checks, mut fetching, mut following, mut requesting } => {
            // Runs with observers of every address are slow anyway, and share one instance of the interpreter.
            let mut spare = None;
            let counter = counter.unwrap_or_else(|| spare.insert(Counter::new(scene.code, W as u32)));
            let how = loop {
                let mut regions = Both(&mut fetching, &mut following);
                let mut behind = Both(&mut requesting, &mut regions);
                let mut addresses = Both(&mut recorder, &mut behind);
                let mut all = Both(&mut *counter, &mut Both(&mut checks, &mut addresses));
                let how = workgroup.run_to_barrier(scene, &mut all, findings, fuel);
                following.iter_mut().for_each(|following| following.end(&workgroup.shared));
                if let Some(how) = how {
                    break how;
                }
            };
            if let Some(requesting) = requesting {
                requesting.leave();
            }
            if let Some(fetching) = fetching {
                fetching.leave();
            }
            if let Some(following) = following {
                following.leave();
            }
            if let Some(checks) = checks {
                checks.hand_over(findings);
            }
            how
        }
    }
}
