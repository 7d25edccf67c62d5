#ifndef NAPKIN_TRACER_H
#define NAPKIN_TRACER_H

/* Follows every thread of a process, and kills the process when its Nth system call begins, counted
 * over all threads from here on; never, if N is 0. `ready` is called when every thread is followed.
 *
 * Returns, when the process has ended, how many system calls had begun; or an errno, negated. */
long napkin_kill_at_call(int pid, long nth, void (*ready)(void));

/* Lets any process of this user follow this one, where the kernel asks for that (Yama). */
void napkin_allow_tracer(void);

#endif
