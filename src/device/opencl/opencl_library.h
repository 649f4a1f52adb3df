/* SPDX-License-Identifier: Apache-2.0
 *
 * The OpenCL loader, opened at run time: nothing is linked, and a machine without it is a normal
 * case. Only functions of OpenCL 1.2 are asked for. */
#ifndef HOPLITE_DEVICE_OPENCL_LIBRARY_H
#define HOPLITE_DEVICE_OPENCL_LIBRARY_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#ifdef __ALTIVEC__ /* on POWER it includes altivec.h, which makes bool a vector's */
#undef bool
#define bool _Bool
#endif
#include <stdbool.h>
#include <stddef.h>

/* The functions, under their names without "cl". */
typedef struct hop__opencl {
    __typeof__(clGetPlatformIDs) *GetPlatformIDs;
    __typeof__(clGetPlatformInfo) *GetPlatformInfo;
    __typeof__(clGetDeviceIDs) *GetDeviceIDs;
    __typeof__(clGetDeviceInfo) *GetDeviceInfo;
    __typeof__(clCreateContext) *CreateContext;
    __typeof__(clReleaseContext) *ReleaseContext;
    __typeof__(clCreateCommandQueue) *CreateCommandQueue;
    __typeof__(clReleaseCommandQueue) *ReleaseCommandQueue;
    __typeof__(clCreateBuffer) *CreateBuffer;
    __typeof__(clReleaseMemObject) *ReleaseMemObject;
    __typeof__(clCreateProgramWithSource) *CreateProgramWithSource;
    __typeof__(clCreateProgramWithBinary) *CreateProgramWithBinary;
    __typeof__(clBuildProgram) *BuildProgram;
    __typeof__(clGetProgramInfo) *GetProgramInfo;
    __typeof__(clGetProgramBuildInfo) *GetProgramBuildInfo;
    __typeof__(clReleaseProgram) *ReleaseProgram;
    __typeof__(clCreateKernel) *CreateKernel;
    __typeof__(clReleaseKernel) *ReleaseKernel;
    __typeof__(clSetKernelArg) *SetKernelArg;
    __typeof__(clGetKernelWorkGroupInfo) *GetKernelWorkGroupInfo;
    __typeof__(clEnqueueWriteBuffer) *EnqueueWriteBuffer;
    __typeof__(clEnqueueReadBuffer) *EnqueueReadBuffer;
    __typeof__(clEnqueueCopyBuffer) *EnqueueCopyBuffer;
    __typeof__(clEnqueueFillBuffer) *EnqueueFillBuffer;
    __typeof__(clEnqueueMapBuffer) *EnqueueMapBuffer;
    __typeof__(clEnqueueUnmapMemObject) *EnqueueUnmapMemObject;
    __typeof__(clEnqueueNDRangeKernel) *EnqueueNDRangeKernel;
    __typeof__(clEnqueueMarkerWithWaitList) *EnqueueMarkerWithWaitList;
    __typeof__(clEnqueueBarrierWithWaitList) *EnqueueBarrierWithWaitList;
    __typeof__(clWaitForEvents) *WaitForEvents;
    __typeof__(clGetEventInfo) *GetEventInfo;
    __typeof__(clGetEventProfilingInfo) *GetEventProfilingInfo;
    __typeof__(clReleaseEvent) *ReleaseEvent;
    __typeof__(clFlush) *Flush;
    __typeof__(clFinish) *Finish;
} hop__opencl;

/* Opens the loader (HOPLITE_OPENCL_LIB, or the usual names) and finds the functions. False, with
 * what is missing and what to do in `advice`, when that fails. Never closed again: drivers leave
 * threads and exit handlers behind, which must not lose their code. */
bool hop__opencl_load(hop__opencl *opencl, char advice[256]);

#endif
