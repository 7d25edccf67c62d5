/* link-order: names the functions that a process runs through, in the order of their entry.
 *
 * Usage   link-order PID STEPS   steps through that many instructions, then detaches
 * Output  one mangled name per line, of functions of the process's own executable
 * Source  ptrace(2), proc(5), nm(1)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

struct symbol {
    uint64_t address;
    char *name;
    int seen;
};

static struct symbol *symbols;
static size_t count;

static void read_symbols(const char *executable) {
    char command[4200], line[65536], name[65536], type;
    uint64_t address;
    size_t capacity = 0;
    snprintf(command, sizeof command, "nm -n '%s'", executable);
    FILE *nm = popen(command, "r");
    while (nm && fgets(line, sizeof line, nm)) {
        if (sscanf(line, "%lx %c %65535s", &address, &type, name) != 3) continue;
        if (!strchr("tTwW", type)) continue;
        if (count == capacity) {
            capacity = capacity ? capacity * 2 : 65536;
            symbols = realloc(symbols, capacity * sizeof *symbols);
        }
        symbols[count++] = (struct symbol){address, strdup(name), 0};
    }
    if (nm) pclose(nm);
}

/* Returns the executable's address in memory: the beginning of its mapping with offset zero. */
static uint64_t base_address(int pid, uint64_t *end) {
    char path[64], line[4400], file[4200] = "", first[4200] = "";
    uint64_t from, to, offset, base = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "r");
    while (maps && fgets(line, sizeof line, maps)) {
        file[0] = 0;
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4199s", &from, &to, &offset, file) < 3) continue;
        if (!first[0]) {
            strcpy(first, file);
            base = from;
        }
        if (strcmp(first, file) == 0) *end = to;
    }
    if (maps) fclose(maps);
    return base;
}

static void note(uint64_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (symbols[middle].address <= address) low = middle + 1; else high = middle;
    }
    if (low == 0 || symbols[low - 1].seen) return;
    symbols[low - 1].seen = 1;
    puts(symbols[low - 1].name);
}

int main(int argc, char **argv) {
    int pid = argc == 3 ? atoi(argv[1]) : 0, status;
    if (pid <= 0) return 64;
    char executable[64];
    snprintf(executable, sizeof executable, "/proc/%d/exe", pid);
    read_symbols(executable);
    uint64_t end = 0, base = base_address(pid, &end);
    if (ptrace(PTRACE_ATTACH, pid, 0, 0) != 0) {
        perror("link-order: ptrace");
        return 70;
    }
    waitpid(pid, &status, __WALL);
    for (long step = atol(argv[2]); step > 0 && WIFSTOPPED(status); step--) {
        struct user_regs_struct registers;
        ptrace(PTRACE_GETREGS, pid, 0, &registers);
        if (registers.rip >= base && registers.rip < end) note(registers.rip - base);
        if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) != 0) break;
        waitpid(pid, &status, __WALL);
    }
    ptrace(PTRACE_DETACH, pid, 0, 0);
    return 0;
}
