// The heartbeat ring of Bosilca et al. (SC 2016), with positions that may be shuffled and mistakes
// that may be taken back, after Rosso and Francesquini (ERAD-SP 2021).
//
// Think of a circle of people in the dark: each taps the shoulder of the one in front now and then
// (heartbeat, emitter to observer). Who has not been tapped for too long says so aloud, reaches
// back past the one who fell, and tells the next one there: tap me from now on (observe). Having to
// find each other, the two get twice the time at first.
//
//  - Emitter: the nearest live domain before us. Every `period` it sends us a heartbeat.
//  - Observer: the nearest live domain behind us. Whoever else says it observes us gets our
//    heartbeats too, until the view changes.
//  - Silence of `timeout` after the last heartbeat is a verdict; after a change of emitter, or when
//    a new life in its domain becomes known, the first silence may last 2 × timeout. So p
//    consecutive deaths take (2p-1) × timeout.
//  - An observe request goes to whoever speaks for the emitter, then every period to each of its
//    processes until the emitter is heard: its speaker may have died with ours.
//  - A process whose heartbeat is a period or more late was itself away (a busy core, SIGSTOP). It
//    gives its emitter one period more before it judges; after the silence of a timeout it is
//    believed dead and may have lost its emitter to another, and asks it anew.
//  - The positions between our emitter and us are believed dead; every `timeout` one of their
//    processes is probed, so that mistakes and cuts heal even if the one concerned cannot find us.
//    As often one of the other processes of our own domain gets a heartbeat, to compare views.
//  - With `hold` a verdict is told only that much later, or with the next news, or never if its
//    subject is heard; the next emitter is asked at once.
#pragma once

#include "stack/detect/detector.hpp"

namespace holdfast {

void make_ring_detector(DetectorPlace& place, const DetectorOptions& options, DomainId self);

}  // namespace holdfast
